package dataset
import ("testing";"fmt";"time";"syscall")
func cpu() time.Duration { var r syscall.Rusage; syscall.Getrusage(0,&r); return time.Duration(r.Utime.Nano()+r.Stime.Nano()) }
func TestTTCifar(t *testing.T) {
	d := "../../shared/data/"
	for range 3 {
	t0:=time.Now(); c0:=cpu()
	im, err := LoadImages("stack:"+d+"cifar10/data_batch_*.png,"+d+"cifar10/train-labels-idx1-ubyte.gz",nil); if err!=nil {t.Fatal(err)}
	fmt.Println(im.Len(), time.Since(t0), "cpu", cpu()-c0)
	hwm(t)
	}
	t0:=time.Now(); c0:=cpu()
	im, _ := LoadImages(d+"mnist/train-images-idx3-ubyte.gz",nil);
	fmt.Println(im.Len(), time.Since(t0), "cpu", cpu()-c0)
	t0=time.Now(); c0=cpu()
	im.convert(32,3)
	fmt.Println("convert", time.Since(t0), "cpu", cpu()-c0)
	t0=time.Now(); c0=cpu()
	LoadImages("synth:digits,n=60000",nil)
	fmt.Println("synth", time.Since(t0), "cpu", cpu()-c0)
}
