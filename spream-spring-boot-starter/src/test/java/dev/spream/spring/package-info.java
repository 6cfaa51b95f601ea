@NullMarked
package dev.spream.spring;

import org.jspecify.annotations.NullMarked;
