#!/bin/sh
# start.sh local    a job server with Flink inside it (one JVM)
# start.sh cluster  a standalone cluster (JobManager, two TaskManagers of one
#                   slot) and a job server that submits to it
# start.sh taskmanager N   the N-th TaskManager of a cluster, again
# Logs and process ids go to run/. Stop with stop.sh.
set -eu
cd "$(dirname "$0")"
. ./opens.sh
mkdir -p run
launch() { # launch NAME CLASSPATH HEAP CLASS ARGS...
	name=$1 cp=$2 heap=$3
	shift 3
	# shellcheck disable=SC2086
	nohup java -Xmx"$heap" $OPENS -cp "$cp/*" "$@" >"run/$name.log" 2>&1 &
	echo $! >"run/$name.pid"
}
wait_for() { # wait_for NAME TEXT
	n=0
	until grep -q "$2" "run/$1.log" 2>/dev/null; do
		n=$((n + 1))
		if [ $n -gt 240 ] || ! kill -0 "$(cat "run/$1.pid")"; then
			echo "run/$1.log: no '$2'" >&2
			exit 1
		fi
		sleep 0.5
	done
}
taskmanager() {
	launch "taskmanager$1" jars/cluster 512m org.apache.flink.runtime.taskexecutor.TaskManagerRunner --configDir conf \
		-D taskmanager.resource-id="tm$1-$$" -D io.tmp.dirs="$PWD/run" -D taskmanager.data.port=0
}
if [ "${1:-local}" = taskmanager ]; then
	taskmanager "$2"
	wait_for "taskmanager$2" 'Successful registration at resource manager'
	exit
fi
master='[local]'
if [ "${1:-local}" = cluster ]; then
	master=localhost:8081
	launch jobmanager jars/cluster 600m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint --configDir conf
	for i in 1 2; do
		taskmanager $i
	done
	wait_for taskmanager1 'Successful registration at resource manager'
	wait_for taskmanager2 'Successful registration at resource manager'
fi
launch jobserver jars/server 1g org.apache.beam.runners.flink.FlinkJobServerDriver --flink-master="$master" --flink-conf-dir="$PWD/conf" \
	--job-host=localhost --job-port=8099 --artifact-port=8098 --expansion-port=8097 --artifacts-dir="$PWD/run/artifacts"
wait_for jobserver 'Job server now running'
