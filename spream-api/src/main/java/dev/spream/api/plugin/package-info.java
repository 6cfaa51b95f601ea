/**
 * Discovery of plug-ins on the class path and in a folder, and calls to them. Each plug-in of the folder has a class
 * loader of its own. Plain code without a framework, used by the facade and by the Guice module.
 */
@NullMarked
package dev.spream.api.plugin;

import org.jspecify.annotations.NullMarked;
