/** The contract of stores on the local disk. */
@NullMarked
package dev.spream.servers.files;

import org.jspecify.annotations.NullMarked;
