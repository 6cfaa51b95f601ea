/**
 * Configuration: where it comes from, what holds when layers disagree, and whether it can be meant. {@link
 * dev.spream.api.config.SpreamConfig} collects a file, the environment and flags as text; {@link
 * dev.spream.api.config.ResolvedConfig} judges them once the plug-ins, and with them the keys, are known. Which keys there
 * are is for others to say, as {@link dev.spream.api.config.ConfigSection}s. All that is wrong is reported at once, and
 * secrets are shown nowhere.
 */
@NullMarked
package dev.spream.api.config;

import org.jspecify.annotations.NullMarked;
