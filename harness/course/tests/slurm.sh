#!/usr/bin/env bash
# Checks that a class graded on a cluster gets the same marks as without one. `slurm.sh WARPLAB LAB FOLDER` starts a
# cluster of this one computer with two simulated GPUs, grades FOLDER with `--slurm` and without, and compares the
# marks. Needs Debian's packages slurm-wlm and munge, and the right to start their daemons (root in a container).
set -euo pipefail
[ $# -eq 3 ] || { echo "usage: slurm.sh WARPLAB LAB FOLDER" >&2; exit 2; }
warplab=$(realpath "$1") lab=$2 folder=$(realpath "$3")
for program in slurmctld slurmd munged sbatch scontrol sinfo; do
    command -v "$program" > /dev/null || { echo "$program is not there: apt-get install slurm-wlm munge" >&2; exit 4; }
done

# The folder of all the daemons' files; its path is short because sockets need short names.
place=$(mktemp -d /tmp/slurm.XXXXXX)
user=$(id -un) host=$(hostname -s)
daemons=()
finish() {
    for pid in "${daemons[@]}"; do kill "$pid" 2> /dev/null || true; done
    wait
    if [ -n "${keep:-}" ]; then echo "kept: $place"; else rm -rf "$place"; fi
}
trap finish EXIT

mkdir -p "$place"/{state,spool,munge}
chmod 755 "$place" "$place/munge"
head -c 1024 /dev/urandom > "$place/munge.key"
chmod 600 "$place/munge.key"
touch "$place/gpu0" "$place/gpu1"
memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
cat > "$place/slurm.conf" << CONF
ClusterName=course
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=16817
SlurmdPort=16818
AuthType=auth/munge
AuthInfo=socket=$place/munge/socket
CryptoType=crypto/munge
StateSaveLocation=$place/state
SlurmdSpoolDir=$place/spool
SlurmctldPidFile=$place/slurmctld.pid
SlurmdPidFile=$place/slurmd.pid
SlurmctldLogFile=$place/slurmctld.log
SlurmdLogFile=$place/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_min_interval=100000,bf_interval=1
GresTypes=gpu
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory Gres=gpu:2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
echo "NodeName=$host Name=gpu File=$place/gpu[0-1]" > "$place/gres.conf"
export SLURM_CONF="$place/slurm.conf"

munged --foreground --force --key-file="$place/munge.key" --socket="$place/munge/socket" \
    --pid-file="$place/munge/pid" --seed-file="$place/munge/seed" 2> "$place/munge.log" &
daemons+=($!)
for _ in $(seq 50); do [ -S "$place/munge/socket" ] && break; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" 2> /dev/null &
daemons+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" 2> /dev/null &
daemons+=($!)
for _ in $(seq 100); do
    sinfo -h -o %T 2> /dev/null | grep -qx idle && break
    sleep 0.2
done
sinfo -h -o '%n %T, %c cores, %G' | grep idle || { tail -n 20 "$place"/*.log >&2; exit 1; }

seconds=$SECONDS
"$warplab" class "$lab" "$folder" --out "$place/here" --seed "${SEED:-11}" > /dev/null
echo "without Slurm: $((SECONDS - seconds)) s"
seconds=$SECONDS
"$warplab" class "$lab" "$folder" --out "$place/there" --seed "${SEED:-11}" --slurm --sbatch=--gres=gpu:1 > /dev/null
echo "with Slurm: $((SECONDS - seconds)) s"
tasks=$(find "$place/there/slurm" -name '*_*.txt' | wc -l)
entries=$(find "$place/there/results" -name '*.json' | wc -l)
[ "$tasks" -gt 0 ] && [ "$tasks" -eq "$entries" ] || { echo "$tasks tasks for $entries submissions" >&2; exit 1; }
cmp "$place/here/marks.csv" "$place/there/marks.csv"

# A lost task is reported, and graded by the next run.
lost=$(find "$place/there/results" -name '*.json' | sort | head -n 1)
rm "$lost"
if PATH="$place:$PATH" && printf '#!/bin/sh\necho lost >&2\nexit 1\n' > "$place/sbatch" && chmod +x "$place/sbatch" &&
    "$warplab" class "$lab" "$folder" --out "$place/there" --slurm > /dev/null 2> "$place/told"; then
    echo "a lost task is not told of" >&2
    exit 1
fi
grep -q "1 submissions have no marks" "$place/told" || { cat "$place/told" >&2; exit 1; }
rm "$place/sbatch"
"$warplab" class "$lab" "$folder" --out "$place/there" --slurm > /dev/null
[ "$(find "$place/there/slurm" -name '*_*.txt' | wc -l)" -eq $((tasks + 1)) ] || { echo "more than one task again" >&2; exit 1; }
cmp "$place/here/marks.csv" "$place/there/marks.csv"
echo "the same marks: $entries submissions, $tasks tasks"
