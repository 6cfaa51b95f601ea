package dev.spream.testkit.search;

import dev.spream.projection.search.SearchEngine;
import dev.spream.projection.search.SearchIndex;

/** The contract of {@link SearchEngine} and its {@link SearchIndex} as tests. Extend it in the tests of an engine. */
public abstract class SearchIndexContract extends SearchSuite
        implements SearchWriteContract, SearchQueryContract, SearchLifeContract {}
