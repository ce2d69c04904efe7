#!/usr/bin/env bash
# Copyright (c) OpenPlatform contributors
# SPDX-License-Identifier: MPL-2.0
#
# run.sh NAME COMMAND...
#
# Runs a "go test -v" command free of the caller's cluster and CLI settings. It
# shows the tests that ran, each package with its counts, all the output of a
# package that failed, and the totals. The whole output is kept in
# .cache/logs/NAME.log.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
name=$1
shift
log=$root/.cache/logs/$name.log
mkdir -p "${log%/*}"

unset KUBECONFIG "${!KUBE_@}" "${!TF_@}" "${!PLATFORM_@}"
export CHECKPOINT_DISABLE=1

"$@" </dev/null 2>&1 | tee "$log" | awk -v name="$name" -v log_file="$log" '
  function flush_package(line, failed,   i) {
    if (failed) for (i = 0; i < held; i++) print lines[i]
    if (failed && !bad) bad = 1 # it did not build, or died
    printf "%s (%d passed, %d skipped, %d failed)\n", line, passed, skipped, bad
    all_passed += passed; all_skipped += skipped; all_failed += bad
    held = passed = skipped = bad = 0
  }
  # What the compiler says may come between the lines of another package.
  /^# / || /^[^ \t]+\.go:[0-9]+:[0-9]+: / { print; next }
  /^ok  / { flush_package($0, 0); fflush(); next }
  /^FAIL[ \t]/ { flush_package($0, 1); fflush(); next }
  /^\?  / { held = 0; next }
  { lines[held++] = $0 }
  /^ *--- PASS: / { passed++ }
  /^ *--- SKIP: / { skipped++ }
  /^ *--- FAIL: / { bad++ }
  /^--- (PASS|SKIP|FAIL): / { print; fflush() }
  END {
    for (i = 0; i < held; i++) print lines[i]
    printf "%s: %d passed, %d skipped, %d failed (all output: %s)\n", name, all_passed, all_skipped, all_failed, log_file
    exit all_passed == 0
  }'
