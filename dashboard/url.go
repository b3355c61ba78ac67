package dashboard

import (
	"net"
	"strconv"
)

// URL returns where a browser on this machine finds the page of a
// server that listens on addr.
func URL(addr net.Addr) string {
	a, ok := addr.(*net.TCPAddr)
	if !ok {
		return "http://" + addr.String() + "/"
	}
	host := a.IP.String()
	if a.IP.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, strconv.Itoa(a.Port)) + "/"
}
