/**
 * Class loaders of plug-ins, and calls with them: each plug-in of the folder has a {@link
 * dev.spream.api.plugin.classloader.PluginClassLoader} with a restricted view of the host, and its objects are called
 * through a {@link dev.spream.api.plugin.classloader.ClassLoaderSafe} wrapper. Internal.
 */
@NullMarked
package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.NullMarked;
