// Copyright (c) OpenPlatform contributors
// SPDX-License-Identifier: MPL-2.0

package platform

import (
	"fmt"
	"strings"
	"time"
	// Time zones are known wherever the provider runs, as in a container without
	// a zone database.
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

// cron checks a schedule as Kubernetes reads it.
func (c *checker) cron(at Path, value string) {
	const use = "Use five fields (minute, hour, day of month, month, day of week), such as 30 4 * * 1-5, or a macro such as @daily"
	// The parser takes a time zone in front, which Kubernetes refuses, and
	// panics where nothing follows it.
	if strings.Contains(value, "TZ") {
		c.add(at, "Time zone in the schedule", fmt.Sprintf("%q names a time zone, which Kubernetes takes from a field of its own. Set timezone instead.", value))
		return
	}
	schedule, err := cron.ParseStandard(value)
	if err != nil {
		c.add(at, "Invalid schedule", fmt.Sprintf("%q is not a cron expression: %s. %s.", value, err, use))
		return
	}
	// A leap year, so that every day that exists comes within the years that
	// are searched.
	if schedule.Next(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		c.add(at, "Schedule that never comes", fmt.Sprintf("%q names a day that no year has, so the task would never run. To pause a task set disabled.", value))
	}
}

// timezone checks the name of a time zone. "Local" is nobody's in particular.
func (c *checker) timezone(at Path, value string) {
	if value == "" {
		return
	}
	if _, err := time.LoadLocation(value); err != nil || strings.EqualFold(value, "local") {
		c.add(at, "Unknown time zone", fmt.Sprintf("%q is not the name of a time zone in the IANA database, such as Europe/Berlin or Etc/UTC.", value))
	}
}
