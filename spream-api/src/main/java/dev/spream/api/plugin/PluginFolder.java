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
 * Reads the folder that plug-ins are dropped into: each jar in it, and each folder with jars directly in it. Hidden files
 * are not looked at, and what is no jar, such as a README, is passed over. What other users may write to, or a stranger
 * owns, is not loaded.
 *
 * @param named if not, the folder was found where nothing asked for it
 * @param problems is added to
 */
record PluginFolder(Path folder, boolean named, Collection<String> problems) {
    private static final Logger log = LoggerFactory.getLogger(PluginFolder.class);

    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

    /**
     * Returns the loadable jars, ordered by name, which are logged before any of them runs; the others are among the problems.
     */
    List<Jars> read() {
        if (!Files.isDirectory(folder)) {
            problem("%s: %s; make a folder there, or name another one"
                    .formatted(
                            folder,
                            Files.exists(folder)
                                    ? "the plug-in folder is no folder"
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
                log.debug("{} is no jar, and is passed over", entry);
            }
        }
        if (found.isEmpty() || isForeign(folder) || (!named && isRefused(folder, PluginOrigin::leftByAnotherUser))) {
            return List.of();
        }
        found.removeIf(plugin -> !isSound(plugin));
        if (!found.isEmpty()) {
            log.info(
                    "code of plug-ins runs from {}: {}",
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
                log.debug("{} is no jar, and is passed over", file);
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

    /** On one line, whatever the path has in it: it may have been looked up. */
    private void problem(String text) {
        problems.add(onOneLine(text));
    }

    private static String onOneLine(String text) {
        return INVISIBLE.matcher(text).replaceAll("?");
    }

    private static boolean isJar(Path file) {
        return file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(".jar");
    }

    /** A class loader would pass over a broken jar in silence. */
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
            return List.of("%s: the link leads nowhere; put the jar there, or remove the link".formatted(jar));
        } catch (AccessDeniedException e) {
            return List.of("%s: the jar cannot be read; give this user the right to".formatted(jar));
        } catch (IOException | SecurityException e) {
            return List.of("%s: the jar is broken (%s); copy it there again".formatted(jar, e.getMessage()));
        }
    }

    /** A jar, or a folder of jars, and the jars in it, ordered by name; at least one. They share a class loader. */
    record Jars(Path path, List<Path> jars) {
        Jars {
            jars = List.copyOf(jars);
        }
    }
}
