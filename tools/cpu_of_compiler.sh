#!/usr/bin/env bash
# The launcher of tools/time_cold_build.sh: runs the compiler and appends "user system command..." to $ANTAEUS_CPU_LOG.
TIMEFORMAT='%U %S'
status=0
{ time "$@" 2>&3; } 3>&2 2>"$ANTAEUS_CPU_LOG.$$" || status=$?
printf '%s %s\n' "$(tail -n 1 "$ANTAEUS_CPU_LOG.$$")" "$*" >> "$ANTAEUS_CPU_LOG"
rm -f "$ANTAEUS_CPU_LOG.$$"
exit "$status"
