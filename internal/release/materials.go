package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"time"
)

// A component is one of CycloneDX.
type component struct {
	Type     string     `json:"type"`
	Ref      string     `json:"bom-ref"`
	Name     string     `json:"name"`
	Version  string     `json:"version,omitempty"`
	PURL     string     `json:"purl"`
	Licenses []licensed `json:"licenses"`
	// Properties has the hash of go.sum, which is one of a list of files and so
	// none of CycloneDX's kinds.
	Properties []property `json:"properties,omitempty"`
}

type licensed struct {
	License struct {
		ID string `json:"id"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func newComponent(kind, path, version string, licences ...string) component {
	c := component{Type: kind, Name: path, Version: version, PURL: "pkg:golang/" + strings.ToLower(path)}
	if path == "uPlot" {
		c.PURL = "pkg:npm/uplot"
	}
	if version != "" {
		c.PURL += "@" + version
	}
	c.Ref = c.PURL
	for _, id := range licences {
		var l licensed
		l.License.ID = id
		c.Licenses = append(c.Licenses, l)
	}
	return c
}

// materials writes a bill of materials in CycloneDX's JSON.
func (r *release) materials() error {
	main := newComponent("application", "rot.example/rot", "v"+r.version, "Apache-2.0")
	var components []component
	refs := []string{}
	for _, p := range r.parts {
		c := newComponent("library", p.Name, p.Version, p.Licences...)
		if sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Sum, "h1:")); err == nil && len(sum) > 0 {
			c.Properties = []property{{"rot:go.sum:h1", hex.EncodeToString(sum)}}
		}
		components, refs = append(components, c), append(refs, c.Ref)
	}
	bom := map[string]any{
		"bomFormat":    "CycloneDX",
		"specVersion":  "1.5",
		"version":      1,
		"metadata":     map[string]any{"timestamp": r.date.Format(time.RFC3339), "component": main},
		"components":   components,
		"dependencies": []map[string]any{{"ref": main.Ref, "dependsOn": refs}},
	}
	text, err := json.MarshalIndent(bom, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.path("rot_"+r.version+".cdx.json"), append(text, '\n'), 0o644)
}
