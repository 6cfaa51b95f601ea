/** Tests of the facade, and of what it makes of a configuration. */
@NullMarked
package dev.spream.api;

import org.jspecify.annotations.NullMarked;
