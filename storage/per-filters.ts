/** Lists with optional filters: one statement for each combination, so that each can use its own index. */

/** Builds a statement per combination of filters; returns the one for those that are neither null nor undefined. */
export function perFilters<Filter extends string, Built>(
  filters: readonly Filter[],
  build: (by: readonly Filter[]) => Built,
) {
  const built = Array.from({ length: 2 ** filters.length }, (_, bits) =>
    build(filters.filter((_, place) => bits & (1 << place))),
  )
  return (asked: Partial<Record<Filter, unknown>>): Built => {
    const bits = filters.map((filter, place) => ((asked[filter] ?? null) === null ? 0 : 1 << place))
    return built[bits.reduce((sum, bit) => sum + bit, 0)] as Built
  }
}
