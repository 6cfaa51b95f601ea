/**
 * Configuration: its layers, their priority, and its validation. {@link dev.spream.api.config.SpreamConfig} collects a
 * file, the environment and flags as text; {@link dev.spream.api.config.ResolvedConfig} validates them against the
 * known keys, which are passed as {@link dev.spream.api.config.ConfigSection}s once the plug-ins are loaded. All
 * problems are reported together, and secrets are never shown.
 */
@NullMarked
package dev.spream.api.config;

import org.jspecify.annotations.NullMarked;
