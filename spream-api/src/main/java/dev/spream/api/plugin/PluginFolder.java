package dev.spream.api.plugin;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the plug-in folder: each jar in it, and each subfolder with its direct jars. Hidden files and files that are no
 * jars, such as a README, are ignored. A plug-in that other users can write to, or that an untrusted user owns, is not
 * loaded.
 *
 * @param named whether the folder is configured, rather than found at its default place
 * @param problems receives the problems
 */
record PluginFolder(Path folder, boolean named, Collection<String> problems) {
    private static final Logger log = LoggerFactory.getLogger(PluginFolder.class);

    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    /**
     * Returns the loadable jars, ordered by name, and logs them before any of their code runs. Others are reported as
     * problems.
     */
    List<Jars> read() {
        if (!Files.isDirectory(folder)) {
            problem("%s: %s; create the folder, or configure another one"
                    .formatted(
                            folder,
                            Files.exists(folder)
                                    ? "the plug-in folder is not a folder"
                                    : "the plug-in folder does not exist"));
            return List.of();
        }
        List<Jars> found = new ArrayList<>();
        for (Path entry : visibleIn(folder)) {
            if (Files.isDirectory(entry)) {
                addFolder(entry, found);
            } else if (isJar(entry)) {
                found.add(new Jars(entry, List.of(entry)));
            } else {
                log.debug("{} is not a jar and is ignored", entry);
            }
        }
        if (found.isEmpty() || isForeign(folder) || (!named && isRefused(folder, PluginOrigin::leftByAnotherUser))) {
            return List.of();
        }
        found.removeIf(plugin -> !isSound(plugin));
        if (!found.isEmpty()) {
            log.info(
                    "loading plug-ins from {}: {}",
                    onOneLine(folder.toAbsolutePath().toString()),
                    onOneLine(found.stream().map(PluginFolder::summary).collect(Collectors.joining(", "))));
        }
        return found;
    }

    private static String summary(Jars plugin) {
        String name = plugin.path().getFileName().toString();
        int jars = plugin.jars().size();
        return plugin.jars().contains(plugin.path())
                ? name
                : "%s/ (%d jar%s)".formatted(name, jars, jars == 1 ? "" : "s");
    }

    private boolean isForeign(Path file) {
        return isRefused(file, PluginOrigin::openToOthers);
    }

    private boolean isRefused(Path file, Check check) {
        try {
            Optional<String> refusal = check.problem(file);
            refusal.ifPresent(this::problem);
            return refusal.isPresent();
        } catch (IOException e) {
            problem("%s is not loaded: its permissions cannot be read (%s); give this user the right to"
                    .formatted(file, e));
            return true;
        }
    }

    @FunctionalInterface
    private interface Check {
        Optional<String> problem(Path file) throws IOException;
    }

    private void addFolder(Path entry, List<Jars> found) {
        List<Path> jars = new ArrayList<>();
        for (Path file : visibleIn(entry)) {
            if (isJar(file) && !Files.isDirectory(file)) {
                jars.add(file);
            } else {
                log.debug("{} is not a jar and is ignored", file);
            }
        }
        if (jars.isEmpty()) {
            problem("%s: there is no jar directly in this folder; put the plug-in's jars there, or remove the folder"
                    .formatted(entry));
            return;
        }
        found.add(new Jars(entry, jars));
    }

    private List<Path> visibleIn(Path directory) {
        List<Path> entries = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
            for (Path entry : stream) {
                if (!entry.getFileName().toString().startsWith(".") && !Files.isHidden(entry)) {
                    entries.add(entry);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            problem("%s: the folder cannot be read (%s); give this user the right to".formatted(directory, e));
        }
        entries.sort(null);
        return entries;
    }

    /** Adds a problem on one line, whatever characters the path contains: it may come from a secret. */
    private void problem(String text) {
        problems.add(onOneLine(text));
    }

    private static String onOneLine(String text) {
        return INVISIBLE.matcher(text).replaceAll("?");
    }

    private static boolean isJar(Path file) {
        return file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".jar");
    }

    /** Returns whether the jars are readable; a class loader would ignore a broken one silently. */
    private boolean isSound(Jars plugin) {
        List<String> broken =
                plugin.jars().stream().flatMap(jar -> flaw(jar).stream()).toList();
        broken.forEach(this::problem);
        return broken.isEmpty()
                && Stream.concat(Stream.of(plugin.path()), plugin.jars().stream())
                        .distinct()
                        .noneMatch(file -> isForeign(file) || isRefused(file, this::foreignOwner));
    }

    private Optional<String> foreignOwner(Path file) throws IOException {
        return PluginOrigin.foreignOwner(file, folder);
    }

    private static List<String> flaw(Path jar) {
        try (JarFile opened = new JarFile(jar.toFile())) {
            opened.getManifest();
            return List.of();
        } catch (NoSuchFileException e) {
            return List.of("%s: the link is broken; restore its target, or remove it".formatted(jar));
        } catch (AccessDeniedException e) {
            return List.of("%s: the jar cannot be read; give this user the right to".formatted(jar));
        } catch (IOException | SecurityException e) {
            return List.of("%s: the jar is corrupt (%s); copy it again".formatted(jar, e.getMessage()));
        }
    }

    /** A jar or a folder of jars, with its jars ordered by name; at least one. They share a class loader. */
    record Jars(Path path, List<Path> jars) {
        Jars {
            jars = List.copyOf(jars);
        }
    }
}
