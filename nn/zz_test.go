package nn
import ("testing";"fmt";"strings"
. "github.com/gomlx/gomlx/core/graph")
func TestZZ(t *testing.T){
	b:=testBackend(t)
	st:=NewState(1)
	step := NewProgram(b, st, "critic step", func(s *Scope, in []*Node) []*Node {
		loss := criticLoss(s.In("D").Training(), tinyCritic, in[0], in[1], in[2])
		out:= []*Node{loss, Adam{LR: 1e-4, Beta1: 0.5, Beta2: 0.9}.Minimize(s, loss, "D", nil)}
		cnt:=map[string]int{}
		for _,n:=range s.Graph().Nodes(){ cnt[n.Type().String()]++
		 if n.Shape().Size()>100000 && n.Type().String()!="Reshape" { l:=fmt.Sprint(n); if len(l)>230 {l=l[:230]}; fmt.Println(n.Id(), strings.ReplaceAll(l,"\n"," ")) } }
		fmt.Println(cnt)
		return out
	})
	mustRun(t, step, normal32(1,64,28,28,1),normal32(2,64,28,28,1),normal32(3,64,1,1,1))
}
