package dev.spream.api.plugin;

import dev.spream.api.config.ConfigException;
import dev.spream.api.plugin.classloader.PluginParentClassLoader;
import dev.spream.api.spi.Port;
import dev.spream.core.SpreamException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Messages for failures of a plug-in, each with its remedy.
 *
 * @param origin the jar or folder that the plug-in is from
 * @param inFolder whether it is in the plug-in folder rather than on the class path
 */
record PluginErrors(String origin, boolean inFolder) {
    private static final Pattern CLASS_FILE_VERSION = Pattern.compile("class file version (\\d+)");
    private static final int CLASS_FILE_VERSION_OF_JAVA_0 = 44; // JVMS 4.1: 45 is Java 1.1, 65 is Java 21

    RuntimeException openingFailed(Plugin<?> plugin, Throwable thrown) {
        keepInterrupt(thrown);
        return switch (thrown) {
            case ConfigException refused -> refusal(plugin, refused.problems(), refused);
            case IllegalArgumentException refused -> refusal(plugin, List.of(text(refused)), refused);
            default ->
                new SpreamException(
                        "%s could not be opened: %s; its resources are closed".formatted(plugin, sentence(thrown)),
                        thrown);
        };
    }

    static void keepInterrupt(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    private static ConfigException refusal(Plugin<?> plugin, List<String> problems, Throwable cause) {
        ConfigException refusal = new ConfigException(problems.stream()
                .map(problem -> "%s: %s".formatted(plugin, problem))
                .toList());
        refusal.initCause(cause);
        return refusal;
    }

    private static String text(Throwable thrown) {
        return Optional.ofNullable(thrown.getMessage()).orElseGet(thrown::toString);
    }

    String sentence(Throwable thrown) {
        return switch (thrown) {
            case UnsupportedClassVersionError error -> newerJava(error);
            case NoClassDefFoundError error -> missingClass(error);
            case ExceptionInInitializerError error ->
                "a static initializer failed: %s"
                        .formatted(Optional.ofNullable(error.getCause()).orElse(error));
            case IncompatibleClassChangeError error -> doesNotFit(error);
            case ClassFormatError error ->
                "a class file of the plug-in is broken (%s); build the plug-in again".formatted(text(error));
            default -> thrown.toString();
        };
    }

    private static String newerJava(UnsupportedClassVersionError error) {
        Matcher version = CLASS_FILE_VERSION.matcher(text(error));
        String needed = version.find()
                ? "Java " + (Integer.parseInt(version.group(1)) - CLASS_FILE_VERSION_OF_JAVA_0)
                : "a newer Java";
        return "the plug-in was compiled for %s, and this is Java %d (%s); run spream with that Java, or compile the plug-in with --release 21"
                .formatted(needed, Runtime.version().feature(), text(error));
    }

    private String missingClass(NoClassDefFoundError error) {
        String missing = text(error).replace('/', '.');
        if (missing.contains(" ")) { // for example "Could not initialize class …"
            return error.getCause() == null ? missing : missing + ": " + error.getCause();
        }
        if (PluginParentClassLoader.shares(missing)) {
            return otherVersion("class " + missing + " is missing");
        }
        return inFolder
                ? "the plug-in needs the class %s, which it does not contain; put its jar and the jar with that class into one subfolder of the plug-in folder"
                        .formatted(missing)
                : "the plug-in needs the class %s, which is not on the class path; add the library that contains it"
                        .formatted(missing);
    }

    private static String doesNotFit(IncompatibleClassChangeError error) {
        return text(error).contains("dev.spream.") || isMissingInHost(error)
                ? otherVersion(text(error))
                : "the plug-in was built with another version of a library than the one found at run time (%s); provide the version that it was built with"
                        .formatted(text(error));
    }

    /** Returns whether spream called the missing method. The JVM does not always name the interface. */
    private static boolean isMissingInHost(IncompatibleClassChangeError error) {
        return Arrays.stream(error.getStackTrace())
                .dropWhile(call -> isMissing(call, error))
                .findFirst()
                .map(caller -> PluginParentClassLoader.shares(caller.getClassName()))
                .orElse(false);
    }

    /** A missing method can still be the top frame. */
    private static boolean isMissing(StackTraceElement call, IncompatibleClassChangeError error) {
        return text(error).replace('/', '.').contains(call.getClassName() + "." + call.getMethodName() + "(");
    }

    private static String otherVersion(String detail) {
        return "the plug-in was built for another version of spream-api (%s); build it against the version in use%s"
                .formatted(
                        detail,
                        Optional.ofNullable(Port.class.getPackage().getImplementationVersion())
                                .map(version -> ", " + version)
                                .orElse(""));
    }
}
