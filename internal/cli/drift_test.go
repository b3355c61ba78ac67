package cli

import (
	"encoding/json"
	"testing"

	"rot.example/rot/internal/text"
)

// TestDriftAlarm: an alarm has an exit code of its own, and prints what it
// would have printed anyway.
func TestDriftAlarm(t *testing.T) {
	for _, tt := range []struct {
		data string
		code int
		want string
	}{
		{"synth:far,n=60,d=2", ExitAlarm, "moved"},
		{"synth:gauss,n=60,d=2,seed=3", ExitOK, "same"},
	} {
		_, stdout, stderr, code := runIn(t.Context(), t, "drift", "synth:gauss,n=80,d=2", tt.data, "--permutations", "39", "--alarm", "0.03", "--json")
		var got text.DriftJSON
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != tt.code || string(got.Verdict) != tt.want || got.Alarm != (tt.code == ExitAlarm) || stderr != "" {
			t.Errorf("%s: exit code %d, %s, alarm %v, stderr %q (%v)", tt.data, code, got.Verdict, got.Alarm, stderr, err)
		}
	}
}
