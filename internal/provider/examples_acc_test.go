// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package provider_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/openplatform/terraform-provider-platform/internal/provider/acctest"
)

const examples = "../../examples"

// exampleFolders returns every folder of examples that holds files but for the
// top, by its path from there.
func exampleFolders(t *testing.T) []string {
	t.Helper()
	var folders []string
	err := filepath.WalkDir(examples, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Dir(path) == examples {
			return err
		}
		folder, err := filepath.Rel(examples, filepath.Dir(path))
		if err == nil && !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return folders
}

// Every example is applied, is in order afterwards, and is destroyed.
func TestAccExamples(t *testing.T) {
	t.Parallel()
	// What is particular to a folder: what is there once it is applied, and what
	// is added to it.
	checks := map[string]func(*testing.T, *acctest.Env, *acctest.CLI){
		"online-boutique": checkBoutique,
		"quickstart":      checkQuickstart,
	}
	additions := map[string]string{
		// The provider is configured for a resource only.
		"provider": "resource \"platform_data_plane\" \"europe\" {\n  name    = \"europe\"\n  cluster = \"europe\"\n}\n",
	}
	folders := exampleFolders(t)
	for folder := range checks {
		if !slices.Contains(folders, folder) {
			t.Errorf("there is no example %s to check", folder)
		}
	}
	for _, folder := range folders {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			e := acctest.New(t)
			cli := e.CLI(t)
			copyExample(t, e, cli, folder)
			if text := additions[folder]; text != "" {
				cli.Write(t, "addition.tf", text)
			}
			cli.Setenv("TF_VAR_organization", e.Organization)
			cli.Setenv("PLATFORM_ORGANIZATION", e.Organization)
			cli.Setenv("TF_VAR_kubeconfig", europe(t))
			cli.Apply(t).Must(t)
			cli.Plan(t).MustBeEmpty(t)
			if len(cli.State(t)) == 0 {
				t.Error("nothing was applied")
			}
			if check := checks[folder]; check != nil {
				check(t, e, cli)
			}
			cli.Destroy(t).Must(t)
			gone(t, e)
		})
	}
}

// copyExample copies the configuration of an example. The organization that an
// example names is not the test's own.
func copyExample(t *testing.T, e *acctest.Env, cli *acctest.CLI, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(examples, folder, "*.tf"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no configuration (%v)", folder, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cli.Write(t, filepath.Base(file), strings.ReplaceAll(string(text), `"acme"`, `"`+e.Organization+`"`))
	}
}

// europe returns a kubeconfig with one context more, of the same cluster.
func europe(t *testing.T) string {
	t.Helper()
	config, err := clientcmd.LoadFromFile(os.Getenv(clientcmd.RecommendedConfigPathEnvVar))
	if err != nil {
		t.Fatal(err)
	}
	config.Contexts["europe"] = config.Contexts[config.CurrentContext].DeepCopy()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}

func checkQuickstart(t *testing.T, e *acctest.Env, cli *acctest.CLI) {
	t.Helper()
	for environment, replicas := range map[string]int64{"dev": 1, "prod": 2} {
		list := e.List(t, "Deployment", e.Namespace("shop", environment), "")
		var names []string
		for _, found := range list {
			names = append(names, found.GetName())
			status, _ := found.Object["status"].(map[string]any)
			equal(t, found.GetName()+" in "+environment, any(replicas), status["readyReplicas"])
		}
		slices.Sort(names)
		equal(t, environment, []string{"cart", "frontend"}, names)
	}
	equal(t, "routes", 1, len(e.List(t, "HTTPRoute", e.Namespace("shop", "prod"), "")))
	output, err := cli.Run(t, "output", "-raw", "shop_url")
	if err != nil || !strings.HasPrefix(output, "http://") {
		t.Errorf("the address is %q (%v)", output, err)
	}
}
