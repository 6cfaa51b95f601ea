/**
 * Finds plug-ins, on the class path and in a folder, and calls them: by name, each from the folder in a class loader of its
 * own. Ordinary code without a framework, which the facade and the Guice module both use.
 */
@NullMarked
package dev.spream.api.plugin;

import org.jspecify.annotations.NullMarked;
