/** Tests of the port to a change stream. */
@NullMarked
package dev.spream.core.source;

import org.jspecify.annotations.NullMarked;
