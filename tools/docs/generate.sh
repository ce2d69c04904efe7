#!/usr/bin/env bash
# Copyright (c) OpenPlatform contributors
# SPDX-License-Identifier: MPL-2.0
#
# generate.sh TFPLUGINDOCS [DIR]
#
# Writes the documentation from the schema of the provider in the mirror,
# templates/ and examples/ to DIR, a path inside the repository (docs). Needs no
# network. Called by "make generate" and "make docs-check".
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tfplugindocs=$1
target=${2:-docs}
terraform=${TERRAFORM:-terraform}
work=$root/.cache/schema

unset "${!TF_@}"
export CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=$root/.cache/cli.tfrc

rm -rf "$work"
mkdir -p "$work"
cp "$root/examples/quickstart/versions.tf" "$work/"
"$terraform" -chdir="$work" init -input=false -no-color >"$work/init.log" || {
  cat "$work/init.log"
  exit 1
}
# tfplugindocs looks a provider up by its short name.
"$terraform" -chdir="$work" providers schema -json |
  sed -E 's#"registry\.[a-z.]+/openplatform/platform"#"platform"#' >"$work/schema.json"

"$tfplugindocs" generate --provider-dir "$root" --provider-name platform \
  --rendered-provider-name Platform --providers-schema "$work/schema.json" \
  --rendered-website-dir "$target" >"$work/generate.log" 2>&1 || {
  cat "$work/generate.log"
  exit 1
}
