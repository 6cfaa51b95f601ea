@NullMarked
package dev.spream.api.publish;

import org.jspecify.annotations.NullMarked;
