#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <arrow/io/file.h>
#include <arrow/io/interfaces.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "io/parquet/parquet_abi.hpp"

namespace {

void check(const arrow::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.message());
}

template <class Value>
Value check(arrow::Result<Value> result) {
  check(result.status());
  return std::move(result).ValueUnsafe();
}

/// Arrow's own allocators keep memory and threads behind; ours is a plug-in that comes and goes.
arrow::MemoryPool* pool() { return arrow::system_memory_pool(); }

/// Hands every byte on as it comes.
class Sink : public arrow::io::OutputStream {
 public:
  Sink(AntaeusParquetTake take, void* receiver) : take_(take), receiver_(receiver) {}
  arrow::Status Close() override {
    closed_ = true;
    return arrow::Status::OK();
  }
  bool closed() const override { return closed_; }
  arrow::Result<std::int64_t> Tell() const override { return at_; }
  arrow::Status Write(const void* data, std::int64_t size) override {
    if (take_(receiver_, static_cast<const char*>(data), static_cast<std::size_t>(size)) != 0) {
      return arrow::Status::IOError("it cannot be written");
    }
    at_ += size;
    return arrow::Status::OK();
  }
  using arrow::io::OutputStream::Write;

 private:
  AntaeusParquetTake take_;
  void* receiver_;
  std::int64_t at_ = 0;
  bool closed_ = false;
};

void write_table(ArrowArrayStream* rows, AntaeusParquetTake take, void* receiver) {
  const auto reader = check(arrow::ImportRecordBatchReader(rows));
  const auto sink = std::make_shared<Sink>(take, receiver);
  std::shared_ptr<arrow::RecordBatch> batch = check(reader->Next()), next = batch ? check(reader->Next()) : nullptr;
  parquet::WriterProperties::Builder builder;
  builder.memory_pool(pool())->compression(parquet::Compression::ZSTD)->created_by("antaeus");
  // Numbers of a long table, which comes in parts, are all different: to look each up in a dictionary would be for
  // nothing.
  for (const auto& field : reader->schema()->fields()) {
    if (next && field->type()->id() == arrow::Type::DOUBLE) builder.disable_dictionary(field->name());
  }
  const auto properties = builder.build();
  // Field metadata live in the Arrow schema only; one thread writes, so that the same table gives the same bytes.
  const auto arrow_properties =
      parquet::ArrowWriterProperties::Builder().store_schema()->set_use_threads(false)->build();
  const auto writer =
      check(parquet::arrow::FileWriter::Open(*reader->schema(), pool(), sink, properties, arrow_properties));
  constexpr std::int64_t kRowsOfAGroup = 1 << 20;
  for (; batch; batch = std::exchange(next, next ? check(reader->Next()) : nullptr)) {
    check(writer->WriteTable(*check(arrow::Table::FromRecordBatches(reader->schema(), {batch})), kRowsOfAGroup));
  }
  check(writer->Close());
}

/// Batches of a file, each checked, since their buffers are read as they are.
class Rows : public arrow::RecordBatchReader {
 public:
  Rows(std::unique_ptr<parquet::arrow::FileReader> file, std::unique_ptr<arrow::RecordBatchReader> batches)
      : file_(std::move(file)), batches_(std::move(batches)) {}
  std::shared_ptr<arrow::Schema> schema() const override { return batches_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    ARROW_RETURN_NOT_OK(batches_->ReadNext(batch));
    return *batch ? (*batch)->ValidateFull() : arrow::Status::OK();
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> file_;  ///< outlives its batches
  std::unique_ptr<arrow::RecordBatchReader> batches_;
};

std::int64_t read_rows(const std::string& path, ArrowArrayStream* rows) {
  auto properties = parquet::ReaderProperties(pool());
  properties.enable_buffered_stream();  // a row group may be the whole file
  parquet::ArrowReaderProperties arrow_properties(/*use_threads=*/false);
  arrow_properties.set_batch_size(16'384);
  arrow_properties.set_pre_buffer(false);
  const auto source = check(arrow::io::ReadableFile::Open(path, pool()));
  const std::int64_t size = check(source->GetSize());
  parquet::arrow::FileReaderBuilder builder;
  check(builder.Open(source, properties));
  auto file = check(builder.memory_pool(pool())->properties(arrow_properties)->Build());
  const auto& metadata = *file->parquet_reader()->metadata();
  const auto cells = static_cast<double>(metadata.num_rows()) * metadata.num_columns();
  constexpr double kAnyhow = 64.0 * (1 << 20), kMostTimes = 64.0;
  if (8.0 * cells > std::max(kAnyhow, kMostTimes * static_cast<double>(size))) {
    throw std::runtime_error(std::to_string(static_cast<std::int64_t>(cells)) + " cells in a file of " +
                             std::to_string(size) + " bytes, more than 64 bytes to one");
  }
  const std::int64_t count = metadata.num_rows();
  auto batches = check(file->GetRecordBatchReader());
  check(arrow::ExportRecordBatchReader(std::make_shared<Rows>(std::move(file), std::move(batches)), rows));
  return count;
}

/// Runs the work; whatever it throws becomes a told problem.
template <class Work>
int guarded(AntaeusParquetTake take_problem, void* receiver, Work work) noexcept {
  const auto tell = [&](std::string_view problem) { take_problem(receiver, problem.data(), problem.size()); };
  try {
    try {
      work();
      return 0;
    } catch (const std::exception& error) {
      tell(error.what());
    } catch (...) {
      tell("an unknown problem");
    }
    return 1;
  } catch (...) {
    return 1;  // the receiver had no memory left to hear why
  }
}

}  // namespace

#define ANTAEUS_EXPORT __attribute__((visibility("default")))

extern "C" ANTAEUS_EXPORT int antaeus_parquet_write_4(ArrowArrayStream* rows, AntaeusParquetTake take_bytes,
                                                      AntaeusParquetTake take_problem, void* receiver) {
  return guarded(take_problem, receiver, [&] { write_table(rows, take_bytes, receiver); });
}

extern "C" ANTAEUS_EXPORT int antaeus_parquet_read_4(const char* path, std::size_t size, ArrowArrayStream* rows,
                                                     std::int64_t* count, AntaeusParquetTake take_problem,
                                                     void* receiver) {
  return guarded(take_problem, receiver, [&] { *count = read_rows(std::string(path, size), rows); });
}
