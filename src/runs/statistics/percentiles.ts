/** Percentiles from histograms of times. Pure. */

interface Percentiles {
  count: number
  /** Whole milliseconds; null without values. */
  p50Ms: number | null
  p90Ms: number | null
  p99Ms: number | null
}

/** Bucket n contains 2^(n-1) to 2^n milliseconds, bucket 0 less than one millisecond. */
const boundsOf = (bucket: number): [number, number] => (bucket === 0 ? [0, 0] : [2 ** (bucket - 1), 2 ** bucket])

/** Percentiles of a histogram by linear interpolation: off by at most a bucket's width. */
export function percentilesOf(histogram: readonly number[]): Percentiles {
  const count = histogram.reduce((sum, each) => sum + each, 0)
  const at = (share: number): number | null => {
    let below = 0
    for (const [bucket, found] of histogram.entries()) {
      if (found > 0 && below + found >= share * count) {
        const [least, most] = boundsOf(bucket)
        return Math.round(least + ((most - least) * (share * count - below)) / found)
      }
      below += found
    }
    return null
  }
  return { count, p50Ms: at(0.5), p90Ms: at(0.9), p99Ms: at(0.99) }
}
