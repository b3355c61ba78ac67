package dataset
import ("testing";"os";"image";"image/png";"image/color";"fmt";"runtime";"time")
func grid(t *testing.T, spec, out string) {
	im, err := LoadImages(spec, nil); if err!=nil {t.Fatal(err)}
	const cols=16
	rows := (im.Len()+cols-1)/cols
	g := image.NewRGBA(image.Rect(0,0,cols*im.W*3,rows*im.H*3))
	for i:=range im.Len() { for y:=range im.H*3 { for x:=range im.W*3 {
		p := im.At(i)[((y/3)*im.W+x/3)*im.C:]
		c := color.RGBA{p[0],p[0],p[0],255}
		if im.C==3 {c=color.RGBA{p[0],p[1],p[2],255}}
		g.Set(i%cols*im.W*3+x, i/cols*im.H*3+y, c)
	}}}
	f,_ := os.Create(out); png.Encode(f,g); f.Close()
	fmt.Println(spec, im.Labels[:min(16,len(im.Labels))], im.Info().Mean, im.Info().Std)
}
func TestTmpGrid(t *testing.T) {
	grid(t,"synth:digits,n=96","/tmp/digits.png")
	grid(t,"synth:shapes,n=64","/tmp/shapes.png")
	grid(t,"synth:blobs,n=48","/tmp/blobs.png")
}
func TestTmpLoad(t *testing.T) {
	d := "../../shared/data/"
	for _, s := range []string{"stack:"+d+"cifar10/data_batch_*.png,"+d+"cifar10/train-labels-idx1-ubyte.gz", d+"mnist/train-images-idx3-ubyte.gz","stack:"+d+"pacs/sketch64.png","stack:"+d+"pacs/photo64.png,"+d+"pacs/photo64-labels-idx1-ubyte.gz", "synth:digits,n=60000"} {
		var a,b runtime.MemStats
		runtime.GC(); runtime.ReadMemStats(&a); t0:=time.Now()
		im, err := LoadImages(s,nil); if err!=nil {t.Fatal(err)}
		el:=time.Since(t0); runtime.ReadMemStats(&b)
		info := im.Info()
		fmt.Println(s, el, "alloc/raw", float64(b.TotalAlloc-a.TotalAlloc)/float64(len(im.Pix)), info.Mean, info.Std, info.Labels, info.Duplicates)
		if im.C==1 { t0=time.Now(); x,err:=im.convert(32,3); fmt.Println("convert", time.Since(t0), x.Notes, err)}
		hwm(t)
	}
}
func hwm(t *testing.T) { b,_ := os.ReadFile("/proc/self/status"); for _,l := range splitLines(string(b)) { if len(l)>5 && l[:5]=="VmHWM" {fmt.Println(l)} } }
func splitLines(s string) (out []string) { for len(s)>0 { k:=0; for k<len(s)&&s[k]!='\n' {k++}; out=append(out,s[:k]); s=s[min(k+1,len(s)):] }; return }
