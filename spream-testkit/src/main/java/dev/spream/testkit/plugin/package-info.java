/**
 * Jars of plug-ins, compiled in a test: {@link dev.spream.testkit.plugin.PluginJar}.
 */
@NullMarked
package dev.spream.testkit.plugin;

import org.jspecify.annotations.NullMarked;
