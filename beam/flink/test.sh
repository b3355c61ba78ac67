#!/usr/bin/env bash
# Runs every job of rot-beam on a Flink cluster with two task managers on this
# machine, kills a worker and a task manager on the way, and compares the bytes
# with those of rot, or of rot-beam without an engine. Needs Go, Java 17, Maven
# and 4 GB of memory; fetches 220 MB of jars, once. ROWS sets the size.
#
#   flink/test.sh [fit] [score] [worker] [manager] [bad] [drift] [dist]   these parts; all without any
set -euo pipefail
cd "$(dirname "$0")"
parts=" ${*:-fit score worker manager bad drift dist} "
part() { [[ $parts == *" $1 "* ]]; }
rows=${ROWS:-200000}
tmp=$(mktemp -d)
trap './stop.sh; rm -rf "$tmp"' EXIT
say() { printf '== %s (at %d s)\n' "$*" "$SECONDS"; }
same() { if cmp -s "$1" "$2"; then echo "same bytes: $3"; else echo "DIFFERENT BYTES: $3"; exit 1; fi; }

say "build"
(cd ../.. && go build -o "$tmp/rot" ./cmd/rot)
(cd .. && go build -o "$tmp/rot-beam" ./cmd/rot-beam)
rotbeam=$tmp/rot-beam
: >"$tmp/stub" # staged in place of the binary, which the workers' host has

say "data: $rows rows in 6 shards"
awk -v n="$rows" -v dir="$tmp" 'BEGIN {
	srand(7)
	for (set = 0; set < 2; set++) {
		whole = dir "/" (set ? "new" : "good") ".csv"
		print "id,a,b,c,colour" > whole
		m = set ? n : n / 4
		for (i = 0; i < m; i++) {
			shard = sprintf("%s/%s-%05d-of-00006.csv", dir, set ? "new" : "good", int(6 * i / m))
			if (!(shard in seen)) { seen[shard] = 1; print "id,a,b,c,colour" > shard }
			x = rand() + rand() + rand() + rand() - 2; y = rand() + rand() + rand() - 1.5
			if (set && i % 97 == 5) x += 20
			id = i % 50 ? "r" i : "\"a, \"\"" i "\"\"\nline\""
			line = sprintf("%s,%.5f,%.5f,%.5f,%s", id, x, y, x * y, i % 3 ? "red" : "blue")
			print line > whole; print line > shard
		}
	}
}'

say "jars and cluster"
[ -d jars/server ] && [ -d jars/cluster ] || ./fetch.sh
./start.sh cluster
flink=(--runner flink --endpoint localhost:8099 --parallelism 2 --environment_type PROCESS
	--environment_config "{\"command\":\"$rotbeam\"}" --worker_binary "$tmp/stub" --temp "$tmp/shared" --block 300000)
mkdir "$tmp/shared"

"$tmp/rot" clean fit "$tmp/good.csv" --model "$tmp/rot.model"
if part fit; then
	say "clean fit"
	"$rotbeam" clean fit "$tmp/good-*.csv" --model "$tmp/beam.model" --sample "$rows" "${flink[@]}"
	same "$tmp/rot.model" "$tmp/beam.model" "the model"
fi

"$tmp/rot" clean score "$tmp/new.csv" --model "$tmp/rot.model" --out "$tmp/scores.csv" --suspects "$tmp/suspects.txt"
check() { # check FOLDER WHAT
	head -n 1 "$tmp/scores.csv" >"$tmp/joined.csv"
	for f in "$1"/scores/*.csv; do tail -n +2 "$f"; done >>"$tmp/joined.csv"
	same "$tmp/scores.csv" "$tmp/joined.csv" "$2: scores of $(($(wc -l <"$tmp/scores.csv"))) lines"
	cat "$1"/suspects/*.txt >"$tmp/joined.txt"
	same "$tmp/suspects.txt" "$tmp/joined.txt" "$2: $(wc -l <"$tmp/suspects.txt") suspects"
	same "$tmp/plain/manifest.json" "$1/manifest.json" "$2: manifest, as without an engine"
	if find "$1" -name '*.tmp' | grep .; then echo "unfinished files are left"; exit 1; fi
}
"$rotbeam" clean score "$tmp/new-*.csv" --model "$tmp/rot.model" --out "$tmp/plain" --block 300000 --runner plain
check "$tmp/plain" "without an engine"
if part score; then
	say "clean score"
	"$rotbeam" clean score "$tmp/new-*.csv" --model "$tmp/rot.model" --out "$tmp/out" "${flink[@]}"
	check "$tmp/out" "undisturbed"
fi

# disturbed OUT KILL starts a job and runs KILL once a third of its blocks are done.
blocks=$(find "$tmp/plain/scores" -name '*.csv' | wc -l)
disturbed() {
	"$rotbeam" clean score "$tmp/new-*.csv" --model "$tmp/rot.model" --out "$1" "${flink[@]}" &
	job=$!
	until [ "$(find "$1/work/scores" -name '*.json' 2>/dev/null | wc -l)" -ge $((blocks / 3)) ]; do
		kill -0 $job 2>/dev/null || { echo "the job was over before it could be disturbed"; exit 1; }
		sleep 0.1
	done
	echo "$(find "$1/work/scores" -name '*.json' | wc -l) of $blocks blocks are done"
	$2
	wait $job
}
kill_worker() {
	worker=$(pgrep -f "$rotbeam.*--provision_endpoint" | head -n 1)
	echo "killing worker $worker"
	kill -9 "$worker"
}
kill_taskmanager() {
	echo "killing task manager $(cat run/taskmanager1.pid), and starting another"
	kill -9 "$(cat run/taskmanager1.pid)"
	sleep 3
	./start.sh taskmanager 1
}

if part worker; then
	say "clean score, a worker killed on the way"
	disturbed "$tmp/worker" kill_worker
	check "$tmp/worker" "worker killed"
fi
if part manager; then
	say "clean score, a task manager killed on the way"
	disturbed "$tmp/manager" kill_taskmanager
	check "$tmp/manager" "task manager killed"
fi
if part bad; then
	say "a broken line"
	cp "$tmp/new-00003-of-00006.csv" "$tmp/broken.csv"
	sed -i '1000s/.*/1,2/' "$tmp/broken.csv"
	if "$rotbeam" clean score "$tmp/broken.csv" --model "$tmp/rot.model" --out "$tmp/broken" "${flink[@]}"; then echo "a broken line passed"; exit 1; fi
	[ ! -e "$tmp/broken" ] || { echo "a failed job left its folder"; exit 1; }
	"$rotbeam" clean score "$tmp/broken.csv" --model "$tmp/rot.model" --out "$tmp/broken" --skip-bad 5 "${flink[@]}"
	cat "$tmp/broken"/bad/*.csv
	# skips ARGUMENTS... fails by the broken line, and leaves it out when asked to.
	skips() {
		say "rot-beam $1 $2, a broken line"
		if "$rotbeam" "$@" "${flink[@]}" 2>"$tmp/error"; then echo "a broken line passed"; exit 1; fi
		cat "$tmp/error"
		grep -q 'broken.csv:1000: the line has 2 fields' "$tmp/error" || { echo "the error does not say where"; exit 1; }
		"$rotbeam" "$@" --skip-bad 5 --bad "$tmp/bad.csv" "${flink[@]}"
		grep -q 'broken.csv,1000,' "$tmp/bad.csv" || { echo "the bad row is not listed"; exit 1; }
		rm "$tmp/bad.csv"
	}
	skips clean fit "$tmp/broken.csv" --model "$tmp/broken.model"
	skips drift "$tmp/good-*.csv" "$tmp/broken.csv" --sample 500 --rows 300 --permutations 19
	skips dist "$tmp/broken.csv" "$tmp/good-*.csv" --ignore id --cores 64
fi
compare() { # compare VERB ARGUMENTS...
	say "rot-beam $*"
	"$rotbeam" "$@" --json "${flink[@]}" >"$tmp/flink.json"
	"$rotbeam" "$@" --json --runner plain --block 1000000 >"$tmp/plain.json"
	same "$tmp/plain.json" "$tmp/flink.json" "rot-beam $1"
}
if part drift; then compare drift "$tmp/good-*.csv" "$tmp/new-*.csv" --sample 500 --rows 300 --permutations 19; fi
if part dist; then
	compare dist "$tmp/new-*.csv" "$tmp/good-*.csv" --ignore id --cores 64 --gamma 0.02
	compare dist "$tmp/new-*.csv" "$tmp/good-*.csv" --ignore id --cores 64
fi
say "all is as it should be"
