import {
  type Attributes,
  type MetricOptions,
  metrics,
  type Observable,
  type ObservableResult,
} from '@opentelemetry/api';

/** A label whose values are listed elsewhere: their description and pattern. */
export interface ValueRule {
  readonly words: string;
  readonly pattern: RegExp;
}

/** Every label with all its values: a metric has at most their product of series. */
export type LabelSets = Readonly<Record<string, readonly string[] | ValueRule>>;

/** Labels of one measurement; those that do not apply are left out. */
export type LabelsOf<Sets extends LabelSets> = {
  readonly [Name in keyof Sets]?: Sets[Name] extends readonly (infer Value)[]
    ? Value
    : string | number;
};

interface InstrumentSettings<Sets extends LabelSets> {
  /** The name of the semantic conventions where there is one, else `inventory.<noun>.<what>`. */
  readonly name: string;
  readonly description: string;
  readonly unit?: 's' | 'By';
  readonly labels?: Sets;
}

interface HistogramSettings<Sets extends LabelSets> extends InstrumentSettings<Sets> {
  /** Upper bounds, in the unit. */
  readonly buckets: readonly number[];
}

type Kind = 'counter' | 'up-down counter' | 'histogram' | 'gauge';

/** An instrument, as the metrics reference describes it. */
export interface DescribedInstrument extends InstrumentSettings<LabelSets> {
  readonly kind: Kind;
}

/** From a millisecond to the longest request. */
export const secondsBuckets: readonly number[] = [
  0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30,
];

const described: DescribedInstrument[] = [];

/** Every instrument that the loaded modules have created, in order. */
export function describedInstruments(): readonly DescribedInstrument[] {
  return described;
}

/** Read for each instrument: one that is read before telemetry is loaded never measures anything. */
const meter = () => metrics.getMeter('@inventory');

function optionsOf(kind: Kind, settings: InstrumentSettings<LabelSets>): MetricOptions {
  described.push({ ...settings, kind });
  const { description, unit } = settings;
  return unit === undefined ? { description } : { description, unit };
}

export function counter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>) {
  const options = optionsOf('counter', settings);
  return meter().createCounter<LabelsOf<Sets>>(settings.name, options);
}

export function upDownCounter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>) {
  const options = optionsOf('up-down counter', settings);
  return meter().createUpDownCounter<LabelsOf<Sets>>(settings.name, options);
}

export function histogram<const Sets extends LabelSets>(settings: HistogramSettings<Sets>) {
  const advice = { explicitBucketBoundaries: [...settings.buckets] };
  const options = { ...optionsOf('histogram', settings), advice };
  return meter().createHistogram<LabelsOf<Sets>>(settings.name, options);
}

export function gauge<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>) {
  const options = optionsOf('gauge', settings);
  return observing(meter().createObservableGauge<LabelsOf<Sets>>(settings.name, options));
}

/** A counter whose sum is kept elsewhere. */
export function observedCounter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>) {
  const options = optionsOf('counter', settings);
  return observing(meter().createObservableCounter<LabelsOf<Sets>>(settings.name, options));
}

function observing<Labels extends Attributes>(instrument: Observable<Labels>) {
  return {
    /** `read` is called at each collection, quick and without throwing, until the returned function is. */
    observe(read: (observe: (value: number, labels?: Labels) => void) => void): () => void {
      const report = (result: ObservableResult<Labels>) =>
        read((value, labels) => result.observe(value, labels));
      instrument.addCallback(report);
      return () => instrument.removeCallback(report);
    },
  };
}
