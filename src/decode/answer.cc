#include "decode/answer.h"

namespace pccsql {

std::string_view to_string(Method method) {
  switch (method) {
    case Method::Direct:
      return "direct";
    case Method::Retry:
      return "retry";
    case Method::Verify:
      return "verify";
    case Method::IterGen:
      return "itergen";
    case Method::Pcc:
      return "pcc";
    case Method::PccPaper:
      break;
  }
  return "pcc-paper";
}

std::optional<Method> parse_method(std::string_view text) {
  for (const Method method : kMethods) {
    if (text == to_string(method)) return method;
  }
  return std::nullopt;
}

bool needs_logits(Method method) {
  return method == Method::IterGen || method == Method::Pcc || method == Method::PccPaper;
}

std::string_view to_string(Answer::Outcome outcome) {
  switch (outcome) {
    case Answer::Outcome::SafeSql:
      return "safe";
    case Answer::Outcome::UnsafeSql:
      return "unsafe";
    case Answer::Outcome::Refuse:
      return "refuse";
    case Answer::Outcome::Failure:
      break;
  }
  return "failure";
}

std::string_view to_string(Cause cause) {
  switch (cause) {
    case Cause::None:
      return "";
    case Cause::ParseError:
      return "parse_error";
    case Cause::NameError:
      return "name_error";
    case Cause::OutsideLanguage:
      return "outside_language";
    case Cause::Empty:
      return "empty";
    case Cause::ModelError:
      return "provider_error";
    case Cause::Stopped:
      return "stopped";
    case Cause::RefusedByModel:
      return "refused_by_model";
    case Cause::RefusedByVerifier:
      return "refused_by_verifier";
    case Cause::RefusedByCheck:
      return "refused_by_check";
    case Cause::RefusedByMask:
      return "refused_by_mask";
    case Cause::Withheld:
      return "withheld";
    case Cause::Budget:
      return "budget";
    case Cause::Fault:
      break;
  }
  return "fault";
}

AnswerKind kind_of(const Answer& answer) {
  switch (answer.outcome) {
    case Answer::Outcome::SafeSql:
      return answer.partial ? AnswerKind::Partial : AnswerKind::Answered;
    case Answer::Outcome::UnsafeSql:  // it is not run
    case Answer::Outcome::Refuse:
      return answer.cause == Cause::Fault ? AnswerKind::Failed : AnswerKind::Refused;
    case Answer::Outcome::Failure:
      break;
  }
  return AnswerKind::Failed;
}

std::string_view to_string(AnswerKind kind) {
  switch (kind) {
    case AnswerKind::Answered:
      return "answered";
    case AnswerKind::Partial:
      return "partial";
    case AnswerKind::Refused:
      return "refused";
    case AnswerKind::Failed:
      break;
  }
  return "failed";
}

std::string_view to_string(TraceStep::Kind kind) {
  switch (kind) {
    case TraceStep::Kind::Token:
      return "token";
    case TraceStep::Kind::Forced:
      return "forced";
    case TraceStep::Kind::Rollback:
      return "rollback";
    case TraceStep::Kind::Output:
      break;
  }
  return "output";
}

}  // namespace pccsql
