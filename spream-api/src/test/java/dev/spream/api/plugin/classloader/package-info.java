/** Tests of the wrappers of what plug-ins make. */
@NullMarked
package dev.spream.api.plugin.classloader;

import org.jspecify.annotations.NullMarked;
