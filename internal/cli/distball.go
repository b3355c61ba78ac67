package cli

import "rot.example/rot/ot"

// resolveDivergence checks what goes with which divergence.
func (o *distOptions) resolveDivergence(given func(string) bool) error {
	var err error
	if o.solve.Divergence, err = ot.ParseDivergence(o.divergence); err != nil {
		return err
	}
	if !given("divergence") {
		return nil
	}
	d := o.solve.Divergence
	switch source, target := given("rho") || given("gamma"), given("target-rho"); {
	case o.solve.Method != ot.MethodExact && o.solve.Method != ot.MethodUnbalanced:
		return usagef("--divergence belongs to --method unbalanced, or to a radius; it does not go with --method %s", o.solve.Method)
	case o.solve.Method == ot.MethodUnbalanced && d == ot.TV:
		return usagef("--method unbalanced has the divergences chi2 and kl, not tv")
	case o.solve.Method == ot.MethodUnbalanced:
		return nil
	case !source && !target:
		return usagef("--divergence says what a radius bounds: give --rho, --gamma or --target-rho, or --method unbalanced")
	case d != ot.Chi2 && o.solve.Auto:
		return usagef("--rho auto looks for a radius of chi2; it does not go with --divergence %v", d)
	}
	return nil
}
