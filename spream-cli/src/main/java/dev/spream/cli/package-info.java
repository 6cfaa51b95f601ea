/**
 * The {@code spream} command. {@link dev.spream.cli.Main} runs it; the classes named {@code …Command} are what it can do.
 * {@link dev.spream.cli.RunCommand} takes everything from the configuration, {@link dev.spream.cli.TailCommand} and those
 * that look at a storage from their flags, which {@link dev.spream.cli.FlagPlugins} makes settings of plug-ins; {@link
 * dev.spream.cli.Demo} is {@code tail --demo}. Records go to the standard output of {@code tail} and nothing else does. It
 * uses the framework as any program would: nothing depends on it.
 */
@NullMarked
package dev.spream.cli;

import org.jspecify.annotations.NullMarked;
