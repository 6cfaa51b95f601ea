/** Tests of what the parts of this module share. */
@NullMarked
package dev.spream.storage.jdbc.internal;

import org.jspecify.annotations.NullMarked;
