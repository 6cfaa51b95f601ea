@NullMarked
package dev.spream.api.health;

import org.jspecify.annotations.NullMarked;
