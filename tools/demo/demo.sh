#!/usr/bin/env bash
# Copyright (c) OpenPlatform contributors
# SPDX-License-Identifier: MPL-2.0
#
# demo.sh up    applies examples/quickstart to a cluster made for it
# demo.sh down  destroys it and removes the cluster; does nothing if there is none
#
# Called by "make demo" and "make demo-down". With DEMO_KUBECONFIG set, "up" uses
# that cluster instead, and leaves out what it cannot do.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
demo=$root/.cache/demo
work=$demo/work
cluster=$demo/kubeconfig      # a link to that of the demo's cluster
cli=$demo/cli                 # a link to the CLI that made the state
records=$demo/records         # the namespace of the records is the demo's
namespace=platform-demo
devcluster=$root/.cache/bin/devcluster

# What the caller's shell says about clusters and the CLI is not for the demo.
unset KUBECONFIG "${!KUBE_@}" "${!TF_@}" "${!PLATFORM_@}"
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_CLI_CONFIG_FILE=$root/.cache/cli.tfrc

say() { printf '\n==> %s\n' "$*"; }
tf() { "$(readlink "$cli")" "-chdir=$work" "$1" -no-color "${@:2}"; }
running() { "$devcluster" status --dir "$demo/cluster" >/dev/null 2>&1; }

# The dev cluster, as against one of the user's.
own() { [[ ! -L $cluster || $(readlink "$cluster") == cluster/kubeconfig ]]; }
kubeconfig() { if own; then echo "$cluster"; else readlink "$cluster"; fi; }

# Looks at a cluster of the user's; kubectl need not be there.
look() { (cd "$root" && go run -buildvcs=false ./tools/demo/cluster "$1" "$(kubeconfig)" "${@:2}"); }

# The provider in the mirror changes with every build, so no hash of it is kept.
init() {
  rm -f "$work/.terraform.lock.hcl"
  tf init -input=false >"$demo/init.log" || {
    cat "$demo/init.log"
    return 1
  }
}

# A state is for the CLI that wrote it: the other one looks for the provider
# under another name.
choose_cli() {
  [[ -x $cli ]] || ln -sfn "$(command -v "${TERRAFORM:-terraform}")" "$cli"
}

choose_cluster() {
  local target=cluster/kubeconfig
  [[ -z ${DEMO_KUBECONFIG:-} ]] || target=$(realpath -e -- "$DEMO_KUBECONFIG")
  if [[ -L $cluster && $(readlink "$cluster") != "$target" ]]; then
    echo "The demo is on another cluster ($(kubeconfig)). Take it away first: make demo-down" >&2
    return 1
  fi
  ln -sfn "$target" "$cluster"
}

start_cluster() {
  if ! running; then
    say "Starting the dev cluster"
    rm -f "$work"/terraform.tfstate* # of a cluster that is no more
    "$devcluster" up --dir "$demo/cluster"
  fi
}

# Finds out what a cluster of the user's cannot do, and what in it will be ours.
examine_cluster() {
  local uid
  say "Looking at the cluster of $(kubeconfig)"
  lacks=$(look lacks gateways/public http)
  if [[ -n $lacks ]]; then echo "SKIPPED: the public endpoint, because $lacks."; fi
  if [[ ! -e $work/terraform.tfstate && ! -e $records ]]; then
    uid=$(look namespace "$namespace")
    [[ -n $uid ]] || touch "$records"
  fi
}

# Plans, with the flags given, and applies that plan.
apply() {
  local status=0
  tf plan -input=false -detailed-exitcode -out=demo.tfplan "$@" >"$demo/plan.log" || status=$?
  case $status in
    0) echo "No changes." ;;
    2)
      grep '^Plan:' "$demo/plan.log" || true
      echo "Every Kubernetes object of the plan: $demo/plan.log"
      # An interrupt is for terraform, which then saves its state; its reader stays.
      tf apply -input=false demo.tfplan | (trap '' INT && exec sed -u '/^$/d; /^Outputs:/,$d')
      ;;
    *)
      cat "$demo/plan.log"
      return "$status"
      ;;
  esac
}

up() {
  local lacks=""
  mkdir -p "$work"
  choose_cluster
  choose_cli
  if own; then start_cluster; else examine_cluster; fi
  cp "$root"/examples/quickstart/*.tf "$work/"
  if [[ -n $lacks ]]; then rm "$work/endpoint.tf"; fi
  printf 'kubeconfig = "%s"\n' "$(kubeconfig)" >"$work/demo.auto.tfvars"
  say "Applying examples/quickstart"
  init
  apply
  say "What exists"
  tf output
  if [[ -n $lacks ]]; then printf '\nNot there: the public endpoint, because %s.\n' "$lacks"; fi
  look_around
}

look_around() {
  local prod
  prod=$(tf output -json namespaces | sed -E 's/.*"prod":"([^"]*)".*/\1/')
  cat <<END

==> Look around

  export KUBECONFIG=$(kubeconfig)
  kubectl get namespaces -l app.kubernetes.io/managed-by=terraform-provider-platform
  kubectl get deployments,pods,services,networkpolicies$([[ -n $lacks ]] || echo ,httproutes) -n $prod

Change something in $work, then

  $(readlink "$cli") -chdir=$work plan
  $(readlink "$cli") -chdir=$work apply

Take it away:  make demo-down
END
}

down() {
  [[ -d $demo ]] || { echo "There is no demo."; return; }
  if own && [[ ! -x $devcluster && -d $demo/cluster ]]; then make -C "$root" devcluster; fi

  if [[ -s $work/terraform.tfstate ]] && { ! own || running; }; then
    say "Destroying"
    choose_cli
    if ! { init && apply -destroy; }; then
      own || { echo "The state is kept in $work; run make demo-down again."; return 1; }
      echo "The CLI could not destroy everything; the cluster goes as a whole."
    fi
  fi
  if ! own; then
    # The provider leaves the namespace of its records.
    if [[ -e $records ]]; then look forget "$namespace"; fi
  elif [[ -d $demo/cluster ]]; then
    say "Stopping the dev cluster"
    "$devcluster" down --dir "$demo/cluster"
  fi
  rm -rf "$demo"
  echo "The demo is gone."
}

case ${1:-} in
  up | down) "$1" ;;
  *)
    echo "usage: demo.sh up|down" >&2
    exit 2
    ;;
esac
