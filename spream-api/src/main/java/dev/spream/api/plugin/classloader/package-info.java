/**
 * Class loaders of plug-ins, and calls with them: each plug-in of the folder has a {@link
 * dev.spream.api.plugin.classloader.PluginClassLoader} over what it sees of its host, and what it makes is called through a
 * {@link dev.spream.api.plugin.classloader.ClassLoaderSafe} wrapper. Not for users.
 */
@NullMarked
package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.NullMarked;
