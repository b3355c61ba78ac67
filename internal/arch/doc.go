// Package arch holds the rules about which package may import which, and what
// libraries must leave to their callers. Its test applies them to the source
// tree; nothing imports it.
//
// Imports flow one way, and each package has one line in rules. A new package
// fails the test until it has its own.
package arch
