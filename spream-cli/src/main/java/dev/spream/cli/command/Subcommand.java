package dev.spream.cli.command;

import picocli.CommandLine.Command;

/** A command with the standard options for help and version. */
@Command(mixinStandardHelpOptions = true, versionProvider = VersionProvider.class, sortOptions = false)
public abstract class Subcommand extends Reporting {}
