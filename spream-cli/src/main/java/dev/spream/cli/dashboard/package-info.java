/**
 * {@code dashboard}: the command that serves the page for everything that a configuration names, without running any
 * of it. Start with {@link dev.spream.cli.dashboard.DashboardCommand}.
 */
@NullMarked
package dev.spream.cli.dashboard;

import org.jspecify.annotations.NullMarked;
