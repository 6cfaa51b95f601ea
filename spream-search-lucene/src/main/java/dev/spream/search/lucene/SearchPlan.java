package dev.spream.search.lucene;

import dev.spream.projection.FailureKind;
import dev.spream.projection.search.SearchException;
import dev.spream.projection.search.SearchQuery;
import dev.spream.projection.search.SearchSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermInSetQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.util.BytesRef;

/** A search in the terms of Lucene. Documents of equal rank are sorted by id, so that pages are consistent. */
record SearchPlan(Query query, Sort order) {
    static SearchPlan of(SearchQuery asked, SearchSchema schema) {
        BooleanQuery.Builder query = new BooleanQuery.Builder()
                .add(new QueryText(schema.searchable()).query(asked.text()), Occur.MUST)
                .add(new TermQuery(IndexDocument.LIVE), Occur.FILTER);
        for (Map.Entry<String, String> filter : asked.filters().entrySet()) {
            require(filter.getKey(), schema.filterable(), "filterable");
            query.add(isOne(filter.getKey(), filter.getValue()), Occur.FILTER);
        }
        List<SortField> order = new ArrayList<>();
        asked.sortBy().ifPresent(field -> {
            require(field, schema.sortable(), "sortable");
            order.add(ascending(IndexDocument.sorted(field)));
        });
        order.add(SortField.FIELD_SCORE);
        order.add(ascending(IndexDocument.ID));
        return new SearchPlan(query.build(), new Sort(order.toArray(SortField[]::new)));
    }

    private static void require(String field, Set<String> offered, String how) {
        if (!offered.contains(field)) {
            throw new SearchException(
                    FailureKind.POISON,
                    "the field %s is not %s; fields that are: %s".formatted(field, how, offered),
                    null);
        }
    }

    private static Query isOne(String field, String value) {
        return new TermInSetQuery(
                IndexDocument.filtered(field),
                FieldValue.meant(value).stream().map(BytesRef::new).toList());
    }

    private static SortField ascending(String field) {
        return new SortField(field, SortField.Type.STRING, false, SortField.STRING_LAST);
    }
}
