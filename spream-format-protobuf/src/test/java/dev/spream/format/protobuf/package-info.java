@NullMarked
package dev.spream.format.protobuf;

import org.jspecify.annotations.NullMarked;
