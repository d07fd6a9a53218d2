import {
  type Attributes,
  type Histogram,
  type Meter,
  type MetricOptions,
  metrics,
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

export interface InstrumentSettings<Sets extends LabelSets> {
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

export interface Adding<Sets extends LabelSets> {
  add(value: number, labels?: LabelsOf<Sets>): void;
}
export interface Recording<Sets extends LabelSets> {
  record(value: number, labels?: LabelsOf<Sets>): void;
}
/** Called at each collection of metrics; must be quick and must not throw. */
type Reading<Sets extends LabelSets> = (
  observe: (value: number, labels?: LabelsOf<Sets>) => void,
) => void;
export interface Observing<Sets extends LabelSets> {
  /** Reports until the returned function is called. */
  observe(read: Reading<Sets>): () => void;
}

/** Creates the instruments of one part of the product, each with its description. */
export interface Instruments {
  counter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Adding<Sets>;
  upDownCounter<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Adding<Sets>;
  histogram<const Sets extends LabelSets>(settings: HistogramSettings<Sets>): Recording<Sets>;
  gauge<const Sets extends LabelSets>(settings: InstrumentSettings<Sets>): Observing<Sets>;
  /** A counter whose sum is kept elsewhere. */
  observedCounter<const Sets extends LabelSets>(
    settings: InstrumentSettings<Sets>,
  ): Observing<Sets>;
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

/** A meter that is created before telemetry is loaded never measures anything. */
export function instrumentsOf(meter: Meter = metrics.getMeter('@inventory')): Instruments {
  function optionsOf(kind: Kind, settings: InstrumentSettings<LabelSets>): MetricOptions {
    described.push({ ...settings, kind });
    const { description, unit } = settings;
    return unit === undefined ? { description } : { description, unit };
  }

  return {
    counter: (settings) => meter.createCounter(settings.name, optionsOf('counter', settings)),
    upDownCounter: (settings) =>
      meter.createUpDownCounter(settings.name, optionsOf('up-down counter', settings)),
    histogram: (settings): Histogram =>
      meter.createHistogram(settings.name, {
        ...optionsOf('histogram', settings),
        advice: { explicitBucketBoundaries: [...settings.buckets] },
      }),
    gauge: (settings) =>
      observing(meter.createObservableGauge(settings.name, optionsOf('gauge', settings))),
    observedCounter: (settings) =>
      observing(meter.createObservableCounter(settings.name, optionsOf('counter', settings))),
  };
}

interface Observable {
  addCallback(callback: (result: ObservedResult) => void): void;
  removeCallback(callback: (result: ObservedResult) => void): void;
}
interface ObservedResult {
  observe(value: number, attributes?: Attributes): void;
}

function observing<Sets extends LabelSets>(instrument: Observable): Observing<Sets> {
  return {
    observe(read) {
      const report = (result: ObservedResult): void =>
        read((value, labels) => result.observe(value, labels as Attributes | undefined));
      instrument.addCallback(report);
      return () => instrument.removeCallback(report);
    },
  };
}
