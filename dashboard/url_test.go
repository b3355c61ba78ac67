package dashboard

import (
	"net"
	"testing"
)

func TestURL(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80/",
		"0.0.0.0:8080": "http://127.0.0.1:8080/",
		"[::]:8080":    "http://127.0.0.1:8080/",
		"[::1]:8080":   "http://[::1]:8080/",
		"10.0.0.7:1":   "http://10.0.0.7:1/",
	} {
		a, err := net.ResolveTCPAddr("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := URL(a); got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}
