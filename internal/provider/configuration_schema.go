// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/openplatform/terraform-provider-platform/internal/engine/platform"
)

func configurationAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"command": optionalStrings("The command; default is the image's entrypoint."),
		"args":    optionalStrings("The arguments; default is the image's."),
		"ports": optionalObjects("The ports by name, at most 15 characters. They are those of the container and of the Service, so only components that have one take them.", map[string]schema.Attribute{
			"port":        requiredInt("The port of the Service."),
			"target_port": optionalInt("The port that the container listens on; default is `port`."),
			"protocol":    optional("The protocol, " + oneOf(platform.Protocols()) + "; default `TCP`."),
		}),
		"env": optionalMap("Environment variables. They are shown in plans and in `manifests`: never put a secret here."),
		"resources": optionalObject("What the container asks for, and what it may not exceed.", map[string]schema.Attribute{
			"requests": optionalObject("What is reserved.", quantityAttributes()),
			"limits":   optionalObject("What may not be exceeded.", quantityAttributes()),
		}),
		"probes": optionalObject("How Kubernetes finds out how the container does.", map[string]schema.Attribute{
			"readiness": optionalObject("Whether it gets traffic; not for a `scheduled_task`.", probeAttributes()),
			"liveness":  optionalObject("Whether it is restarted.", probeAttributes()),
			"startup":   optionalObject("Whether it has started; the other probes wait for it.", probeAttributes()),
		}),
		"scaling": optionalObject("How many replicas run; not for a `scheduled_task`. Either a number of them, or what a HorizontalPodAutoscaler is told; "+
			"when `overrides` name the one, nothing of the other is left of what they override.", map[string]schema.Attribute{
			"replicas":                             optionalInt("The number of replicas. Without it the number is left to whoever sets it in the cluster; it stays as it is when the attribute is removed or an autoscaler takes over, but for 0, which becomes the default of 1."),
			"min_replicas":                         optionalInt("The least that the autoscaler runs; the API server's default is 1."),
			"max_replicas":                         optionalInt("The most that the autoscaler runs. It makes the autoscaler, together with a target."),
			"target_cpu_utilization_percentage":    optionalInt("The average processor time to aim at, in percent of `resources.requests.cpu`, which it needs. The cluster needs a metrics server."),
			"target_memory_utilization_percentage": optionalInt("The average memory to aim at, in percent of `resources.requests.memory`, which it needs. With two targets the one that asks for more replicas counts."),
		}),
		"schedule": optionalObject("When a `scheduled_task` runs, which needs it; not for other types. A run never starts while the one before is under way. "+
			"A pod that fails is not restarted: another one is tried, as often as the API server's default allows, and the logs of each can be read.", map[string]schema.Attribute{
			"cron":     optional("Five fields (minute, hour, day of month, month, day of week), such as `30 4 * * 1-5`, or a macro such as `@daily`. A time zone does not belong here. It can be left out in `overrides` only."),
			"timezone": optional("The time zone's name in the IANA database, such as `Europe/Berlin`; default is that of the cluster's control plane, mostly UTC."),
			"disabled": optionalBool("Starts no more runs. A run under way goes on."),
		}),
		"volumes": optionalObjects("Directories of the container by name. Each has exactly one of `empty_dir`, `secret` and `config_map`.", map[string]schema.Attribute{
			"mount_path": required("Where it is mounted."),
			"read_only":  optionalBool("Mounts it read-only."),
			"empty_dir": optionalObject("Scratch space that lives as long as the pod.", map[string]schema.Attribute{
				"medium":     optional("`Memory` for a RAM disk; default is the node's disk."),
				"size_limit": optional("The most it may hold, such as `1Gi`."),
			}),
			"secret":     optional("The name of an existing Secret of the namespace."),
			"config_map": optional("The name of an existing ConfigMap of the namespace."),
		}),
		"pod_annotations":                  optionalMap("Annotations of the pods."),
		"termination_grace_period_seconds": optionalInt("How long a pod may take to end; default is the API server's 30 seconds."),
	}
}

func quantityAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"cpu":    optional("Processor time, such as `250m` or `0.5`."),
		"memory": optional("Memory, such as `64Mi` or `1Gi`."),
	}
}

func probeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"exec": optionalObject("Runs a command in the container.", map[string]schema.Attribute{
			"command": schema.ListAttribute{Required: true, ElementType: types.StringType, MarkdownDescription: "The command and its arguments."},
		}),
		"http": optionalObject("Sends a GET request.", map[string]schema.Attribute{
			"port":    required("A port number, or the name of one of `ports`."),
			"path":    optional("The path; default `/`."),
			"scheme":  optional("The scheme, " + oneOf(platform.ProbeSchemes()) + "; default `HTTP`."),
			"headers": optionalMap("Headers of the request."),
		}),
		"tcp": optionalObject("Opens a connection.", map[string]schema.Attribute{
			"port": required("A port number, or the name of one of `ports`."),
		}),
		"grpc": optionalObject("Calls the gRPC health service.", map[string]schema.Attribute{
			"port":    requiredInt("A port number."),
			"service": optional("The service to ask for; default is the server as a whole."),
		}),
		"initial_delay_seconds":            optionalInt("How long to wait before the first check."),
		"period_seconds":                   optionalInt("How often to check; the API server's default is 10."),
		"timeout_seconds":                  optionalInt("How long a check may take; the API server's default is 1."),
		"success_threshold":                optionalInt("After how many successes it counts as succeeding; 1 but for readiness."),
		"failure_threshold":                optionalInt("After how many failures it counts as failing; the API server's default is 3."),
		"termination_grace_period_seconds": optionalInt("How long a container that failed the check may take to end; not for readiness."),
	}
}
