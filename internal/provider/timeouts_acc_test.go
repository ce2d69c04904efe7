// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

// limited is the configuration of a deployment with time limits.
func limited(e *acctest.Env, proxy *acctest.Proxy, image, timeouts string) string {
	return e.Base(fmt.Sprintf("kubernetes = { host = %q }", proxy.URL)) + acctest.Component("cart", fmt.Sprintf("image = %q", image)) +
		acctest.Deployment("cart", acctest.HTTP(), "timeouts = { "+timeouts+" }")
}

// Each verb has its own time, and an error says whose time is over, how long it
// was, and what was waited for.
func TestAccTimeouts(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	namespace, proxy, cli := e.Namespace("shop", "dev"), e.Proxy(t), e.CLI(t)
	over := func(verb, limit, what string) string {
		// A destroy shows no address.
		return `Timed out.*Cannot ` + verb + ` .*` + what + `.*The time for this operation, ` + limit + `, is over. Raise timeouts.` + verb
	}
	write := func(image, timeouts string) { cli.Write(t, "main.tf", limited(e, proxy, image, timeouts)) }

	write(notReady, `create = "4s"`)
	cli.Apply(t).MustFail(t, over("create", "4s", `Deployment/`+namespace+`/cart: was applied and is not ready: .*0 available.*last events:.*last log lines`))
	// The objects are there, and so is the state: nothing is lost but time.
	write(acctest.Image, `create = "2m", update = "4s", delete = "4s", read = "4s"`)
	cli.Apply(t).Must(t)
	write(notReady, `update = "4s", delete = "4s", read = "4s"`)
	cli.Apply(t).MustFail(t, over("update", "4s", `is not ready: `))
	write(acctest.Image, `update = "2m", delete = "4s", read = "4s"`)
	cli.Apply(t).Must(t)
	cli.Plan(t).MustBeEmpty(t)

	proxy.Refuse(func(r acctest.Request) int {
		if r.Verb == "list" && r.Resource == "deployments" {
			return http.StatusServiceUnavailable
		}
		return 0
	})
	cli.Plan(t).MustFail(t, over("read", "4s", `deployments.apps: list did not finish, last attempt: refused by the test`))
	proxy.Refuse(nil)

	e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
		set(t, object, []any{"example.dev/hold"}, "metadata", "finalizers")
	})
	cli.Destroy(t).MustFail(t, over("delete", "4s", `Deployment/`+namespace+`/cart: is still being deleted: finalizers \[(foregroundDeletion )?example.dev/hold`))
	equal(t, "finalizers", any([]any{"example.dev/hold"}), withoutForeground(field(e.Get(t, "Deployment", namespace, "cart"), "metadata", "finalizers")))
	e.Edit(t, "Deployment", namespace, "cart", func(object map[string]any) {
		set(t, object, []any{}, "metadata", "finalizers")
	})
	cli.Destroy(t).Must(t)
	gone(t, e)
}

// withoutForeground removes the finalizer that a deletion in the foreground adds.
func withoutForeground(finalizers any) any {
	list, _ := finalizers.([]any)
	left := []any{}
	for _, finalizer := range list {
		if finalizer != "foregroundDeletion" {
			left = append(left, finalizer)
		}
	}
	return left
}

// A rollout tells its progress in the log, one line per change.
func TestAccProgress(t *testing.T) {
	t.Parallel()
	e := acctest.New(t)
	cli := e.CLI(t)
	log := filepath.Join(t.TempDir(), "log")
	cli.Setenv("TF_LOG_PROVIDER", "INFO")
	cli.Setenv("TF_LOG_PATH", log)
	cli.Write(t, "main.tf", e.Base()+acctest.Component("cart", `image = "registry.example/devcluster/ready-after:2s"`)+
		acctest.Deployment("cart", acctest.HTTP()))
	cli.Apply(t).Must(t)
	file, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	told := regexp.MustCompile(`\[INFO\].*Deployment/` + e.Namespace("shop", "dev") + `/cart: (.*?): [@a-z_]+=`)
	var lines []string
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if match := told.FindStringSubmatch(scanner.Text()); match != nil {
			if slices.Contains(lines, match[1]) {
				t.Errorf("the log repeats %q", match[1])
			}
			lines = append(lines, match[1])
		}
	}
	if len(lines) < 2 || !strings.HasPrefix(lines[len(lines)-1], "ready: ") {
		t.Errorf("the log tells no progress: %q", lines)
	}
	cli.Destroy(t).Must(t)
	gone(t, e)
}
