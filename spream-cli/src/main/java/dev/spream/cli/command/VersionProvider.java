package dev.spream.cli.command;

import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** Provides the version that the build wrote into the jar. */
final class VersionProvider implements IVersionProvider {
    @Override
    public String[] getVersion() throws IOException {
        Properties properties = new Properties();
        try (InputStream in = VersionProvider.class.getResourceAsStream("/spream-version.properties")) {
            properties.load(Objects.requireNonNull(in, "spream-version.properties is missing from the jar"));
        }
        return new String[] {
            "spream %s (Java %s)".formatted(properties.getProperty("version"), System.getProperty("java.version"))
        };
    }
}
