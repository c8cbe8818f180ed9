#!/bin/sh
# Four classes by DSCP on every port of the DUT: qos.sh up|down
set -eu
for dev in $(ls /sys/class/net | grep '^dut'); do
	tc qdisc del dev "$dev" root 2>/dev/null || true
	[ "$1" = up ] || continue
	tc qdisc add dev "$dev" root handle 1: htb default 40
	tc class add dev "$dev" parent 1: classid 1:1 htb rate 1gbit
	for class in 10:46 20:34 30:18 40:0; do
		id=${class%:*}
		tc class add dev "$dev" parent 1:1 classid 1:"$id" htb rate 100mbit ceil 1gbit prio $((id / 10))
		tc filter add dev "$dev" parent 1: protocol ip prio "$id" u32 match ip dsfield $((${class#*:} << 2)) 0xfc flowid 1:"$id"
	done
done
