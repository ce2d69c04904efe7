#!/usr/bin/env bash
# Copyright (c) OpenPlatform contributors
# SPDX-License-Identifier: MPL-2.0
#
# demo.sh up    applies examples/quickstart to a cluster made for it
# demo.sh down  destroys it and removes the cluster; does nothing if there is none
#
# Called by "make demo" and "make demo-down". With DEMO_KUBECONFIG set, "up" uses
# that cluster instead, which needs the Gateway API and a Gateway gateways/public.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
demo=$root/.cache/demo
work=$demo/work
kubeconfig=$demo/kubeconfig
devcluster=$root/.cache/bin/devcluster
terraform=${TERRAFORM:-terraform}

# What the caller's shell says about clusters and the CLI is not for the demo.
unset KUBECONFIG "${!KUBE_@}" "${!TF_@}" "${!PLATFORM_@}"
export CHECKPOINT_DISABLE=1 TF_IN_AUTOMATION=1 TF_CLI_CONFIG_FILE=$root/.cache/cli.tfrc

say() { printf '\n==> %s\n' "$*"; }
tf() { "$terraform" "-chdir=$work" "$1" -no-color "${@:2}"; }
running() { "$devcluster" status --dir "$demo/cluster" >/dev/null 2>&1; }

# The provider in the mirror changes with every build, so no hash of it is kept.
init() {
  rm -f "$work/.terraform.lock.hcl"
  tf init -input=false >"$demo/init.log" || {
    cat "$demo/init.log"
    return 1
  }
}

start_cluster() {
  local target=cluster/kubeconfig
  if [[ -n ${DEMO_KUBECONFIG:-} ]]; then target=$(realpath -e -- "$DEMO_KUBECONFIG"); fi
  if [[ -L $kubeconfig && $(readlink "$kubeconfig") != "$target" ]]; then
    echo "There is a demo on another cluster; take it away first: make demo-down" >&2
    return 1
  fi
  ln -sfn "$target" "$kubeconfig"
  if [[ $target == cluster/kubeconfig ]] && ! running; then
    say "Starting the dev cluster"
    rm -f "$work"/terraform.tfstate* # of a cluster that is no more
    "$devcluster" up --dir "$demo/cluster"
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
  mkdir -p "$work"
  start_cluster
  cp "$root"/examples/quickstart/*.tf "$work/"
  printf 'kubeconfig = "%s"\n' "$kubeconfig" >"$work/demo.auto.tfvars"
  say "Applying examples/quickstart"
  init
  apply
  say "What exists"
  tf output
  look_around
}

look_around() {
  local namespace
  namespace=$(tf output -json namespaces | sed -E 's/.*"prod":"([^"]*)".*/\1/')
  cat <<END

==> Look around

  export KUBECONFIG=$kubeconfig
  kubectl get namespaces -l app.kubernetes.io/managed-by=terraform-provider-platform
  kubectl get deployments,pods,services,httproutes,networkpolicies -n $namespace

Change something in $work, then

  $terraform -chdir=$work plan
  $terraform -chdir=$work apply

Take it away:  make demo-down
END
}

# Removes what the provider leaves in a cluster that is not ours: the namespace
# of the records, once there are none.
remove_records_namespace() {
  local k=(kubectl "--kubeconfig=$kubeconfig")
  command -v kubectl >/dev/null || return 0
  [[ -z $("${k[@]}" get configmaps -n platform-demo -o name -l app.kubernetes.io/managed-by=terraform-provider-platform) ]] || return 0
  "${k[@]}" delete namespace platform-demo --ignore-not-found
}

down() {
  [[ -d $demo ]] || { echo "There is no demo."; return; }
  local own=true
  if [[ -L $kubeconfig && $(readlink "$kubeconfig") != cluster/kubeconfig ]]; then own=false; fi
  if [[ $own == true && ! -x $devcluster && -d $demo/cluster ]]; then make -C "$root" devcluster; fi

  if [[ -s $work/terraform.tfstate ]] && { [[ $own == false ]] || running; }; then
    say "Destroying"
    if ! { init && apply -destroy; }; then
      [[ $own == true ]] || { echo "The state is kept in $work; run make demo-down again."; return 1; }
      echo "Terraform could not destroy everything; the cluster goes as a whole."
    fi
    [[ $own == true ]] || remove_records_namespace
  fi
  if [[ $own == true && -d $demo/cluster ]]; then
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
