#!/usr/bin/env python3
"""CPU of a build's compilations by target, by room and by file, from the log of tools/cpu_of_compiler.sh.
Usage: sum_compile_times.py LOG"""

import collections
import re
import sys

targets: collections.Counter = collections.Counter()
rooms: collections.Counter = collections.Counter()
files: collections.Counter = collections.Counter()
for line in open(sys.argv[1], encoding="utf-8"):
    user, system, command = line.split(" ", 2)
    seconds = float(user) + float(system)
    output = re.search(r" -o (\S+)", command)
    name = output.group(1) if output else "?"
    target = re.search(r"(\w+)\.dir/", name)
    targets[target.group(1) if target else "?"] += seconds
    room = re.search(r"antaeus_room_(\w+)\.dir|(apps|python|tests|examples|tools)/|(antaeus_extension)\.dir", name)
    rooms[next(filter(None, room.groups())) if room else "other"] += seconds
    files[re.sub(r".*CMakeFiles/", "", name)] += seconds
total = sum(files.values())
print(f"{total:8.1f} s of CPU in {len(files)} compilations")
for title, table, most in (("rooms", rooms, 40), ("targets", targets, 20), ("files", files, 20)):
    print(f"-- {title}")
    for name, seconds in table.most_common(most):
        print(f"{seconds:8.1f} s {seconds / total:6.1%}  {name}")
