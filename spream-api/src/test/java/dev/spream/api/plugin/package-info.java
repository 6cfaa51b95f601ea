/**
 * Tests of discovery and of calls into plug-ins, with real jars that are compiled in the test: {@link
 * dev.spream.testkit.plugin.PluginJar} makes them, for other modules too.
 */
@NullMarked
package dev.spream.api.plugin;

import org.jspecify.annotations.NullMarked;
