package experiments

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// An algorithm is a family of cells and the version of the code that computes
// them. Its version is raised by whoever changes what a cell of the family comes
// out as, with a line here that says what changed; cells of earlier versions
// are then run again, or shown as old.
type algorithm string

const (
	// gan 1: the radius of ρ auto from the share of samples that stand out, a
	// bank that forgets what the critic said of samples that it no longer sees,
	// a weight network with an anchor.
	// gan 2: ρ auto by transport, an anchor that grows with the penalty.
	ganAlgorithm algorithm = "gan 2"

	// transport 3: robust GANs with weights by transport, whose versions were
	// those of gan before. Crowds of foreign images are set aside first, and the
	// generator's samples are asked about the rest.
	// transport 4: crowds reach to the empty space before them; images of which
	// none stand out are weighed by their own view, unless the generator is trusted.
	transportAlgorithm algorithm = "transport 4"

	// auto 1: GANs on images that choose their radius themselves, by transport,
	// were a part of transport before. The generator's samples have no say in
	// it; they added a kind that it was late to learn. A run of transport 4 that
	// chose 0 had nothing set aside and did the same, step by step, so that
	// such cells were carried over.
	autoAlgorithm algorithm = "auto 1"

	// given 1: GANs on images with weights by transport and a radius that was
	// given, a part of transport before. Images of which none stand out are weighed
	// by their evened scores. A run of transport 4 in which some stood out does
	// the same as before, to the bit, so that such cells were carried over.
	// given 2: of such images a cluster of about the given share comes above the
	// others. Where some stand out nothing has changed; such cells were carried over.
	givenAlgorithm algorithm = "given 2"

	// network 1: GANs on images that a pretrained network looks at.
	networkAlgorithm algorithm = "network 1"

	// adapt 1: weights by robust transport between the domains' features, the
	// model picked by mutual information.
	adaptAlgorithm algorithm = "adapt 1"

	// plane 1: figure 1 and its elbow curve, solved to a relative gap of 1e-9
	// and 1e-4.
	planeAlgorithm algorithm = "plane 1"
)

// Provenance says what made a cell: code, data, judge and machine. Cells from before there was provenance have a
// device at most.
type Provenance struct {
	Revision  string `json:"revision,omitempty"`  // of the code, "+modified" where the checkout was changed
	Algorithm string `json:"algorithm,omitempty"` // family and version, such as "gan 1"
	Data      string `json:"data,omitempty"`      // hash of the files that it learned from
	Judge     string `json:"judge,omitempty"`     // hashes of the classifier that scored it and of the images it compared with
	Device    string `json:"device,omitempty"`
	Date      string `json:"date,omitempty"` // when it was done, RFC 3339
}

// revision is the revision of the code. A build without version control sets it
// with -ldflags "-X rot.example/rot/experiments.revision=…".
var revision string

// Revision returns the revision of the code that this program was built from,
// with "+modified" behind it where the checkout had changes; "unknown" where the
// build does not tell.
func Revision() string {
	if revision != "" {
		return revision
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	found, modified := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			found = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			modified = "+modified"
		}
	}
	if found == "" {
		return "unknown"
	}
	return found + modified
}

// Why a cell is old.
const (
	beforeProvenance = "before provenance"
	otherData        = "other data"
	otherJudge       = "another judge"
)

// outdated returns why a cell that p made is not what the present code, data
// and judge would make; "" for one that is. Data and Judge of now are compared
// where they are known.
func (p Provenance) outdated(now expectation) string {
	switch {
	case p.Algorithm == "":
		return beforeProvenance
	case p.Algorithm != string(now.algorithm):
		return fmt.Sprintf("by %s, where now is %s", p.Algorithm, now.algorithm)
	case now.known && p.Data != now.data:
		return otherData
	case now.known && p.Judge != now.judge:
		return otherJudge
	}
	return ""
}

// An expectation is the provenance that a cell has if it is made now.
type expectation struct {
	algorithm   algorithm
	known       bool // data and judge are: the files are there
	data, judge string
}

// provenance returns what makes a cell now, on a device.
func (e expectation) provenance(device string) Provenance {
	return Provenance{
		Revision: Revision(), Algorithm: string(e.algorithm), Data: e.data, Judge: e.judge,
		Device: device, Date: time.Now().UTC().Format(time.RFC3339),
	}
}

// An origin is what a table knows of a cell besides its numbers.
type origin struct {
	old  string // why it is old; "" for a current cell
	made Provenance
}

// from returns the origin itself: it is there for those that embed one.
func (o origin) from() origin { return o }

// originated is a cell that knows where it comes from.
type originated interface{ from() origin }

// origins returns those of the cells.
func origins[T originated](cells []T) []origin {
	out := make([]origin, len(cells))
	for i, c := range cells {
		out[i] = c.from()
	}
	return out
}

// oldMark stands behind a number that comes from old cells.
const oldMark = " †"

// isOld and isCurrent say what a cell is.
func (o origin) isOld() bool     { return o.old != "" }
func (o origin) isCurrent() bool { return o.old == "" }

// markOld returns oldMark where one of some cells is old and one of all cells is
// not: where all are old, the section says it once.
func markOld(all, some []origin) string {
	if slices.ContainsFunc(some, origin.isOld) && slices.ContainsFunc(all, origin.isCurrent) {
		return oldMark
	}
	return ""
}

// mixed says whether some of the cells are old and some are not, so that they
// have no mean.
func mixed(cells []origin) bool {
	return slices.ContainsFunc(cells, origin.isOld) && slices.ContainsFunc(cells, origin.isCurrent)
}

// oldNote returns the note of a section that has old cells, with the reasons and
// how many there are of each; "" without any.
func oldNote(cells []origin) string {
	counts := map[string]int{}
	var reasons []string
	old := 0
	for _, c := range cells {
		if c.old == "" {
			continue
		}
		if counts[c.old] == 0 {
			reasons = append(reasons, c.old)
		}
		counts[c.old]++
		old++
	}
	if old == 0 {
		return ""
	}
	for i, r := range reasons {
		reasons[i] = fmt.Sprintf("%s (%d of %d runs)", r, counts[r], len(cells))
	}
	mark := "†"
	if old == len(cells) {
		mark = "All numbers are"
	}
	return fmt.Sprintf("**%s old: %s.** They are not compared with current ones, and are run again when the experiment is.", mark, strings.Join(reasons, ", "))
}

// madeBy returns the line below a section's tables: the revisions, algorithms,
// data, judges, machines and days that its cells come from.
func madeBy(cells []origin) string {
	var without int
	var revisions, algorithms, data, judges, devices, days []string
	add := func(list *[]string, v string) {
		if v != "" && !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}
	for _, c := range cells {
		if c.made.Algorithm == "" {
			without++
		}
		add(&revisions, c.made.Revision)
		add(&algorithms, c.made.Algorithm)
		add(&data, c.made.Data)
		add(&judges, c.made.Judge)
		add(&devices, c.made.Device)
		day, _, _ := strings.Cut(c.made.Date, "T")
		add(&days, day)
	}
	slices.Sort(days)
	if len(days) > 2 {
		days = []string{days[0] + " to " + days[len(days)-1]}
	}
	var parts []string
	say := func(name string, list []string) {
		const most = 6 // of one kind are named
		if n := len(list) - most; n > 0 {
			list = append(slices.Clone(list[:most]), fmt.Sprintf("%d more", n))
		}
		if len(list) > 0 {
			parts = append(parts, strings.TrimSpace(name+" "+strings.Join(list, ", ")))
		}
	}
	say("revision", revisions)
	say("algorithm", algorithms)
	say("data", data)
	say("judge", judges)
	say("machine", devices)
	say("", days)
	if without > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d runs by an unknown revision on unknown data, before provenance was recorded", without, len(cells)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "*Made by: " + strings.Join(parts, "; ") + ".*\n\n"
}
